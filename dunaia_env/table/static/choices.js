// From a list of legal actions to one of them, piece by piece. Nothing here draws or sends anything.

export class Choices {
  constructor(actions) {
    this.actions = actions;
    this.path = [];
    this.chosen = null; // an action picked as a whole, from the list or the coach
  }

  /** The actions whose pieces begin with those picked so far. */
  candidates() {
    return this.actions.filter((action) => this.path.every((piece, index) => action.pieces[index] === piece));
  }

  /** The pieces that can be picked next, each once, in the order of the actions. */
  next() {
    if (this.chosen) return [];
    const pieces = this.candidates().map((action) => action.pieces[this.path.length]);
    return [...new Set(pieces.filter((piece) => piece !== undefined))];
  }

  /** The action that waits to be confirmed, or null. */
  selected({ complete = false } = {}) {
    if (this.chosen) return this.chosen;
    if (!this.path.length) return null;
    const left = this.candidates();
    if (left.length === 1 && (!complete || left[0].pieces.length === this.path.length)) return left[0];
    return left.find((action) => action.pieces.length === this.path.length) ?? null;
  }

  pick(piece) {
    this.path.push(piece);
  }

  choose(action) {
    this.chosen = action;
  }

  /** Takes the last step back; returns false if there was none. */
  back() {
    if (this.chosen) this.chosen = null;
    else if (this.path.length) this.path.pop();
    else return false;
    // A step that left no choice was not a step of its own.
    while (this.path.length && this.selected()) this.path.pop();
    return true;
  }

  reset() {
    this.path = [];
    this.chosen = null;
  }

  /** The remaining actions by the piece that is picked next, in order: [[piece, actions], …]. */
  groups() {
    const groups = new Map();
    for (const action of this.candidates()) {
      const piece = action.pieces[this.path.length] ?? "";
      if (!groups.has(piece)) groups.set(piece, []);
      groups.get(piece).push(action);
    }
    return [...groups];
  }
}
