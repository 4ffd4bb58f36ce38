"""The commands of the program, one file each; `graphwell.cli` lists them."""
