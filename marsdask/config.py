"""Mars's place for the options: `from marsdask.config import options, option_context`."""

from marsdask.options import option_context, options

__all__ = ["option_context", "options"]
