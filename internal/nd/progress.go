package nd

// PieceBytes is about how much is copied, or brought to stable storage, from one
// report of progress to the next, at most: see [progress.pace].
const PieceBytes = 32 << 20
