package nd

// ReportedBytes is how much of what is in memory is done from one report to the next. Tests have less.
var ReportedBytes = PieceBytes
