"""In which forms is a workflow given out?"""
