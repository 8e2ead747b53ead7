// ORDER loads the shuffle that reverses groups of SWAP bytes into V. It clobbers R20 and R21.
#define ORDER(SWAP, V) \
	MOVD SWAP, R20; \
	MOVD $·masks(SB), R21; \
	ADD  R20<<4, R21; \
	VLD1 (R21), [V.B16]

// TURN puts the bytes of V in the order of the shuffle in V31.
#define TURN(V) VTBL V31.B16, [V.B16], V.B16

#define TURN4(A, B, C, D) \
	TURN(A); \
	TURN(B); \
	TURN(C); \
	TURN(D)

// SMIN64, SMAX64, UMIN64 and UMAX64 are for integers of 64 bits, which NEON can only compare. D must be N. They clobber
// V20.
#define SMIN64(M, N, D) \
	CMGT64(M, N, 20); \
	BIT(20, M, D)

#define SMAX64(M, N, D) \
	CMGT64(N, M, 20); \
	BIT(20, M, D)

#define UMIN64(M, N, D) \
	CMHI64(M, N, 20); \
	BIT(20, M, D)

#define UMAX64(M, N, D) \
	CMHI64(N, M, 20); \
	BIT(20, M, D)
