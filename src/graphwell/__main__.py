"""The program ``graphwell``, which is also ``python -m graphwell``."""

from graphwell.progress import INTERRUPTED, TERMINATED, end_at_once, end_process


def main() -> None:
    """Run the program; Ctrl-C ends it quietly, even while it is still being imported."""
    end_at_once()
    from graphwell.cli.app import main as run

    try:
        run()
    except KeyboardInterrupt:
        end_process()
    except SystemExit as ending:
        if ending.code in (INTERRUPTED, TERMINATED):
            end_process()
        raise


if __name__ == "__main__":
    main()
