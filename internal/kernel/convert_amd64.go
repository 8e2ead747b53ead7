//go:build amd64 && !purego && !race

package kernel

//go:noescape
func i8f32(dst, src Pointer, n int, past bool)

//go:noescape
func u8f32(dst, src Pointer, n int, past bool)

//go:noescape
func i16f32(dst, src Pointer, n int, past bool)

//go:noescape
func u16f32(dst, src Pointer, n int, past bool)

//go:noescape
func i32f32(dst, src Pointer, n int, past bool)

//go:noescape
func i8f64(dst, src Pointer, n int, past bool)

//go:noescape
func u8f64(dst, src Pointer, n int, past bool)

//go:noescape
func i16f64(dst, src Pointer, n int, past bool)

//go:noescape
func u16f64(dst, src Pointer, n int, past bool)

//go:noescape
func i32f64(dst, src Pointer, n int, past bool)

//go:noescape
func f32f64(dst, src Pointer, n int, past bool)

//go:noescape
func f64f32(dst, src Pointer, n int, past bool)

//go:noescape
func f32i32(dst, src Pointer, n int, past bool)

//go:noescape
func f32i16(dst, src Pointer, n int, past bool)

//go:noescape
func f32u16(dst, src Pointer, n int, past bool)

//go:noescape
func f32i8(dst, src Pointer, n int, past bool)

//go:noescape
func f32u8(dst, src Pointer, n int, past bool)

//go:noescape
func f64i32(dst, src Pointer, n int, past bool)

//go:noescape
func f64i16(dst, src Pointer, n int, past bool)

//go:noescape
func f64u16(dst, src Pointer, n int, past bool)

//go:noescape
func f64i8(dst, src Pointer, n int, past bool)

//go:noescape
func f64u8(dst, src Pointer, n int, past bool)

//go:noescape
func i8w16(dst, src Pointer, n int, past bool)

//go:noescape
func i8w32(dst, src Pointer, n int, past bool)

//go:noescape
func i8w64(dst, src Pointer, n int, past bool)

//go:noescape
func i16w32(dst, src Pointer, n int, past bool)

//go:noescape
func i16w64(dst, src Pointer, n int, past bool)

//go:noescape
func i32w64(dst, src Pointer, n int, past bool)

//go:noescape
func u8w16(dst, src Pointer, n int, past bool)

//go:noescape
func u8w32(dst, src Pointer, n int, past bool)

//go:noescape
func u8w64(dst, src Pointer, n int, past bool)

//go:noescape
func u16w32(dst, src Pointer, n int, past bool)

//go:noescape
func u16w64(dst, src Pointer, n int, past bool)

//go:noescape
func u32w64(dst, src Pointer, n int, past bool)

//go:noescape
func f16f32(dst, src Pointer, n int, past bool)

//go:noescape
func f16f64(dst, src Pointer, n int, past bool)

//go:noescape
func f32f16(dst, src Pointer, n int, past bool)

//go:noescape
func f64f16(dst, src Pointer, n int, past bool)

//go:noescape
func clean8(dst, src Pointer, n int, past bool)

//go:noescape
func i16bool(dst, src Pointer, n int, past bool)

//go:noescape
func f16bool(dst, src Pointer, n int, past bool)

//go:noescape
func i32bool(dst, src Pointer, n int, past bool)

//go:noescape
func f32bool(dst, src Pointer, n int, past bool)

//go:noescape
func i64bool(dst, src Pointer, n int, past bool)

//go:noescape
func f64bool(dst, src Pointer, n int, past bool)

//go:noescape
func u32f64(dst, src Pointer, n int, past bool)

//go:noescape
func i64f64(dst, src Pointer, n int, past bool)

//go:noescape
func u64f64(dst, src Pointer, n int, past bool)

//go:noescape
func f64u32(dst, src Pointer, n int, past bool)

//go:noescape
func f32u32(dst, src Pointer, n int, past bool)

//go:noescape
func f64i64(dst, src Pointer, n int, past bool)

//go:noescape
func f64u64(dst, src Pointer, n int, past bool)

//go:noescape
func u64w128(dst, src Pointer, n int, past bool)

//go:noescape
func f32i64(dst, src Pointer, n int, past bool)

//go:noescape
func f32u64(dst, src Pointer, n int, past bool)

//go:noescape
func i64f32(dst, src Pointer, n int, past bool)

//go:noescape
func u64f32(dst, src Pointer, n int, past bool)

//go:noescape
func u32f32(dst, src Pointer, n int, past bool)

//go:noescape
func boolw16(dst, src Pointer, n int, past bool)

//go:noescape
func boolw32(dst, src Pointer, n int, past bool)

//go:noescape
func boolw64(dst, src Pointer, n int, past bool)

//go:noescape
func boolf32(dst, src Pointer, n int, past bool)

//go:noescape
func boolf64(dst, src Pointer, n int, past bool)

//go:noescape
func i8c64(dst, src Pointer, n int, past bool)

//go:noescape
func u8c64(dst, src Pointer, n int, past bool)

//go:noescape
func i16c64(dst, src Pointer, n int, past bool)

//go:noescape
func u16c64(dst, src Pointer, n int, past bool)

//go:noescape
func i32c64(dst, src Pointer, n int, past bool)

//go:noescape
func i8c128(dst, src Pointer, n int, past bool)

//go:noescape
func u8c128(dst, src Pointer, n int, past bool)

//go:noescape
func i16c128(dst, src Pointer, n int, past bool)

//go:noescape
func u16c128(dst, src Pointer, n int, past bool)

//go:noescape
func i32c128(dst, src Pointer, n int, past bool)

//go:noescape
func f32c128(dst, src Pointer, n int, past bool)

// conversions[from][to] converts multiples of 32 numbers.
var conversions = [nums][nums]func(dst, src Pointer, n int, past bool){
	Bool: {Bool: clean8, I8: clean8, I16: boolw16, I32: boolw32, I64: boolw64, U8: clean8, U16: boolw16, U32: boolw32, U64: boolw64,
		F32: boolf32, F64: boolf64},
	I8: {Bool: clean8, I16: i8w16, I32: i8w32, I64: i8w64, U16: i8w16, U32: i8w32, U64: i8w64, F32: i8f32, F64: i8f64,
		C64: i8c64, C128: i8c128},
	I16: {Bool: i16bool, I32: i16w32, I64: i16w64, U32: i16w32, U64: i16w64, F32: i16f32, F64: i16f64, C64: i16c64, C128: i16c128},
	I32: {Bool: i32bool, I64: i32w64, U64: i32w64, F32: i32f32, F64: i32f64, C64: i32c64, C128: i32c128},
	I64: {Bool: i64bool, F32: i64f32, F64: i64f64},
	U8: {Bool: clean8, I16: u8w16, I32: u8w32, I64: u8w64, U16: u8w16, U32: u8w32, U64: u8w64, F32: u8f32, F64: u8f64,
		C64: u8c64, C128: u8c128},
	U16: {Bool: i16bool, I32: u16w32, I64: u16w64, U32: u16w32, U64: u16w64, F32: u16f32, F64: u16f64, C64: u16c64, C128: u16c128},
	U32: {Bool: i32bool, I64: u32w64, U64: u32w64, F32: u32f32, F64: u32f64},
	U64: {Bool: i64bool, F32: u64f32, F64: u64f64},
	F16: {Bool: f16bool, F32: f16f32, F64: f16f64},
	F32: {Bool: f32bool, I8: f32i8, I16: f32i16, I32: f32i32, I64: f32i64, U8: f32u8, U16: f32u16, U32: f32u32, U64: f32u64,
		F16: f32f16, F64: f32f64, C64: u32w64, C128: f32c128},
	F64: {Bool: f64bool, I8: f64i8, I16: f64i16, I32: f64i32, I64: f64i64, U8: f64u8, U16: f64u16, U32: f64u32, U64: f64u64,
		F16: f64f16, F32: f64f32, C128: u64w128},
}

//go:noescape
func f32PairsI32(dst, src Pointer, n int, past bool)

//go:noescape
func f32PairsI16(dst, src Pointer, n int, past bool)

//go:noescape
func f32PairsU16(dst, src Pointer, n int, past bool)

//go:noescape
func f32PairsI8(dst, src Pointer, n int, past bool)

//go:noescape
func f32PairsU8(dst, src Pointer, n int, past bool)

//go:noescape
func f64PairsI32(dst, src Pointer, n int, past bool)

//go:noescape
func f64PairsI16(dst, src Pointer, n int, past bool)

//go:noescape
func f64PairsU16(dst, src Pointer, n int, past bool)

//go:noescape
func f64PairsI8(dst, src Pointer, n int, past bool)

//go:noescape
func f64PairsU8(dst, src Pointer, n int, past bool)

//go:noescape
func f32PairsF64(dst, src Pointer, n int, past bool)

//go:noescape
func f64PairsF32(dst, src Pointer, n int, past bool)

// pairConversions[from][to] converts the first numbers of multiples of 32 pairs.
var pairConversions = [nums][nums]func(dst, src Pointer, n int, past bool){
	F32: {I8: f32PairsI8, I16: f32PairsI16, I32: f32PairsI32, U8: f32PairsU8, U16: f32PairsU16, F64: f32PairsF64},
	F64: {I8: f64PairsI8, I16: f64PairsI16, I32: f64PairsI32, U8: f64PairsU8, U16: f64PairsU16, F32: f64PairsF32},
}

// HasPairs reports whether ConvertPairs converts numbers of type from to type to.
func HasPairs(to, from Num) bool { return vectors && pairConversions[from][to] != nil }

// ConvertPairs converts the first number of each of n pairs, as [Convert] does, and returns how
// many it converted: n-1 of them, or none if that is fewer than 32. The last pair may end
// after its first number.
func ConvertPairs(dst Pointer, to Num, src Pointer, from Num, n int, past bool) (done int) {
	return convertLong(pairConversions[from][to], dst, sizes[to], src, 2*sizes[from], n-1, past)
}

// convertVector does a part of Convert.
func convertVector(dst Pointer, to Num, src Pointer, from Num, n int, past bool) (done int) {
	return convertLong(conversions[from][to], dst, sizes[to], src, sizes[from], n, past)
}

// convertLong converts n numbers, dsize and ssize bytes apart, if n is at least 32, and returns
// how many it converted.
func convertLong(convert func(dst, src Pointer, n int, past bool), dst Pointer, dsize int, src Pointer, ssize, n int, past bool) (done int) {
	if !vectors || convert == nil || n < 32 {
		return 0
	}
	if past = past && n >= 128; past { // up to a whole line, where numbers end there
		head := -int(uintptr(dst)) & 63
		if past = head&(dsize-1) == 0; past && head > 0 {
			convert(dst, src, 32, false)
			done = head / dsize
			if done > 32 {
				convert(Add(dst, 32*dsize), Add(src, 32*ssize), 32, false)
			}
		}
	}
	for step := callBytes / 8; n-done >= 32; {
		k := min(step, n-done) &^ 31
		convert(Add(dst, done*dsize), Add(src, done*ssize), k, past)
		if done += k; done < n {
			checkpoint()
		}
	}
	if rest := n - 32; done < n { // the last 32 once more: source and destination do not overlap
		convert(Add(dst, rest*dsize), Add(src, rest*ssize), 32, false)
		done = n
	}
	return done
}
