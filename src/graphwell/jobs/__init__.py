"""What graphwell does for a user, whatever face asks: typed options in, a typed report out."""
