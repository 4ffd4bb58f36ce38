"""The commands of the program, one file each; `graphwell.cli.app` lists them."""
