-- empty: decides nothing, the limit of what a script can do
return 1
