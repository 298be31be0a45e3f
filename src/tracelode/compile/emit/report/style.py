"""How does the report look? One style sheet, light and dark, from 400 to 2,560 pixels."""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--page:#faf8f5;--card:#fff;--ink:#221d18;--soft:#6a6058;--rule:#e4ddd4;
--accent:#a8480b;--good:#2f6b3a;--bad:#a3231f;--warn:#8a5a00;--node:#f6ede2;--edge:#4a423a;--quiet:#9c9187;
--badge:#efe7dc;--shade:#0002}
@media (prefers-color-scheme:dark){:root{--page:#171412;--card:#201c19;--ink:#efe8e0;--soft:#b0a498;
--rule:#3a332d;--accent:#f0a060;--good:#84c78f;--bad:#f08c84;--warn:#e2b25c;--node:#2c2621;--edge:#c9bdb0;
--quiet:#7d7268;--badge:#342d27;--shade:#0009}}
*{box-sizing:border-box}
html{scroll-padding-top:12px}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 ui-sans-serif,system-ui,-apple-system,
"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1880px;margin:0 auto;padding:28px clamp(14px,3vw,56px) 30vh}
h1{font-size:26px;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:18px;margin:38px 0 12px}
h3{font-size:15px;margin:0;overflow-wrap:anywhere}
p{margin:6px 0;max-width:76ch;overflow-wrap:anywhere}
code,.mono{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:10px;margin:18px 0 0}
.tile{background:var(--card);border:1px solid var(--rule);border-radius:9px;padding:10px 14px}
.tile b{display:block;font-size:21px;line-height:1.25;font-variant-numeric:tabular-nums;
overflow-wrap:anywhere}
.tile span{color:var(--soft);font-size:13px}
.note{background:var(--card);border:1px solid var(--rule);border-left:4px solid var(--warn);border-radius:7px;
padding:10px 14px;margin:10px 0}
.note.refused{border-left-color:var(--bad)}.refused b{color:var(--bad)}
.wide{overflow-x:auto;background:var(--card);border:1px solid var(--rule);border-radius:9px;padding:6px}
.wide,.scroll{background-image:linear-gradient(to right,var(--lid) 40%,transparent),
linear-gradient(to left,var(--lid) 40%,transparent),linear-gradient(to right,var(--shade),transparent),
linear-gradient(to left,var(--shade),transparent);background-repeat:no-repeat;
background-position:0 0,100% 0,0 0,100% 0;background-size:48px 100%,48px 100%,18px 100%,18px 100%;
background-attachment:local,local,scroll,scroll}
.wide{--lid:var(--card)}.scroll{--lid:var(--page)}
.hint{display:none;font-size:13px;color:var(--warn)}.hint::after{content:" \\2192"}
.wide:focus{outline:2px solid var(--accent)}
.graph{display:block;margin:0 auto}
.graph text{font:13px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;
fill:var(--ink)}
.graph .name{font-weight:600}
.graph .note{font-size:12px;fill:var(--soft)}
.step rect{fill:var(--node);stroke:var(--rule)}
.step .bar{stroke:none;fill:var(--quiet)}
.step.write .bar{fill:var(--accent)}
.step:hover rect,.step:focus rect{stroke:var(--accent);stroke-width:2}
.arrow .line{fill:none;stroke:var(--edge);stroke-width:1.6}
.arrow .reach{fill:none;stroke:transparent;stroke-width:16;pointer-events:stroke}
.arrow.effect .line{stroke-width:3;stroke:var(--quiet)}
.arrow.control .line{stroke-dasharray:9 4}
.arrow.suspected .line{stroke:var(--quiet);stroke-dasharray:2 4}
.tip{fill:var(--edge)}.tip.effect,.tip.suspected{fill:var(--quiet)}
.arrow:hover .line,.arrow:focus .line{stroke:var(--accent);stroke-width:3}
a:focus{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
svg a:focus{outline:none}
a{color:var(--accent)}
.key{display:flex;flex-wrap:wrap;gap:4px 20px;margin:8px 2px 0;font-size:13px;color:var(--soft)}
.key svg{vertical-align:middle;margin-right:6px}
.cards{columns:430px;column-gap:14px;margin-top:18px}
.card{background:var(--card);border:1px solid var(--rule);border-radius:9px;padding:14px 16px;margin:0 0 14px;
break-inside:avoid}
summary{cursor:pointer;color:var(--soft)}
.card:target{border-color:var(--accent);box-shadow:0 0 0 1px var(--accent)}
.card header{display:flex;gap:8px;align-items:baseline;flex-wrap:wrap;margin-bottom:6px}
.badge{display:inline-block;background:var(--badge);border-radius:5px;padding:0 7px;font-size:12px;
line-height:1.65;
white-space:nowrap}
.badge.write{background:var(--accent);color:var(--page)}
.badge.hard{color:var(--good)}.badge.suspected,.badge.none{color:var(--warn)}
ul.plain{list-style:none;margin:10px 0 0;padding:0}
ul.plain li{border-top:1px solid var(--rule);padding:7px 0;overflow-wrap:anywhere}
ul.plain li>a{float:right;margin-left:10px;font-size:13px}
.scroll{overflow-x:auto}table.few{width:auto;min-width:min(100%,520px)}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;padding:6px 14px 6px 0;border-bottom:1px solid var(--rule);vertical-align:top}
th{color:var(--soft);font-weight:500;white-space:nowrap}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.end{white-space:nowrap}
td.key-cell{min-width:120px;overflow-wrap:anywhere}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:14px 34px;
align-items:start}
.lit{color:var(--accent)}.good{color:var(--good)}.bad{color:var(--bad)}
.curve text{font-size:12px;fill:var(--soft)}
.curve .axis{stroke:var(--rule)}
.curve .bound{stroke:var(--quiet);fill:none;stroke-width:2}.curve .right{stroke:var(--accent);fill:none;
stroke-width:2}
.curve circle.bound{fill:var(--quiet)}.curve circle.right{fill:var(--accent)}
.proof{display:none;position:fixed;z-index:2;right:0;top:0;bottom:0;width:min(520px,42vw);overflow:auto;
background:var(--card);border-left:1px solid var(--rule);box-shadow:-8px 0 30px #0003;padding:20px 24px}
.proof:target{display:block}
.proof h3{font-size:16px;padding-right:70px}
.proof .close{position:absolute;top:18px;right:22px}
.proof ul{padding-left:20px;margin:8px 0}.proof li{margin:6px 0;overflow-wrap:anywhere}
@media (max-width:1000px){.proof{left:0;width:auto;top:auto;max-height:56vh;border-left:0;
border-top:1px solid var(--rule);box-shadow:0 -8px 30px #0003;padding:16px 18px}}
@media (max-width:560px){h1{font-size:22px}.tiles{grid-template-columns:repeat(2,1fr)}
.tile b{font-size:18px}th,td{padding-right:10px}}
@media print{.proof{display:block;position:static;width:auto;box-shadow:none;border:0}.close{display:none}
main{padding-bottom:0}}
"""
"""The style sheet; what is lit while its proof is shown is added by page()."""
