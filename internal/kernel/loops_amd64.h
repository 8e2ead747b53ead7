// ORDER loads the shuffle that reverses groups of SWAP bytes into Y. It clobbers AX and TMP.
#define ORDER(SWAP, TMP, Y) \
	MOVQ SWAP, AX; \
	SHLQ $4, AX; \
	LEAQ ·masks(SB), TMP; \
	VBROADCASTI128 (TMP)(AX*1), Y
