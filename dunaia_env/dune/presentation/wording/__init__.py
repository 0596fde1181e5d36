"""The English of Dune: words, sentences, the news of a step, and the reasons why actions are illegal."""
