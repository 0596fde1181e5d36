"""What all reports are made of: tables, sections, Markdown, pages, plots and pictures of deciding moments."""
