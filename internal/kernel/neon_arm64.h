// The macros below are instructions that Go's assembler does not have. As in Go, the destination is the last operand;
// all operands are numbers of vectors. A name ends with the number of bits of the elements that the instruction reads;
// H means that the instruction reads or writes the upper half of a vector. TestEncodings compares each macro with the
// encoding that binutils produces for the line above it.

// smax vD.16b, vN.16b, vM.16b
#define SMAX8(M, N, D) WORD $(0x4E206400|(M)<<16|(N)<<5|(D))

// smin vD.16b, vN.16b, vM.16b
#define SMIN8(M, N, D) WORD $(0x4E206C00|(M)<<16|(N)<<5|(D))

// umax vD.16b, vN.16b, vM.16b
#define UMAX8(M, N, D) WORD $(0x6E206400|(M)<<16|(N)<<5|(D))

// umin vD.16b, vN.16b, vM.16b
#define UMIN8(M, N, D) WORD $(0x6E206C00|(M)<<16|(N)<<5|(D))

// smax vD.8h, vN.8h, vM.8h
#define SMAX16(M, N, D) WORD $(0x4E606400|(M)<<16|(N)<<5|(D))

// smin vD.8h, vN.8h, vM.8h
#define SMIN16(M, N, D) WORD $(0x4E606C00|(M)<<16|(N)<<5|(D))

// umax vD.8h, vN.8h, vM.8h
#define UMAX16(M, N, D) WORD $(0x6E606400|(M)<<16|(N)<<5|(D))

// umin vD.8h, vN.8h, vM.8h
#define UMIN16(M, N, D) WORD $(0x6E606C00|(M)<<16|(N)<<5|(D))

// smax vD.4s, vN.4s, vM.4s
#define SMAX32(M, N, D) WORD $(0x4EA06400|(M)<<16|(N)<<5|(D))

// smin vD.4s, vN.4s, vM.4s
#define SMIN32(M, N, D) WORD $(0x4EA06C00|(M)<<16|(N)<<5|(D))

// umax vD.4s, vN.4s, vM.4s
#define UMAX32(M, N, D) WORD $(0x6EA06400|(M)<<16|(N)<<5|(D))

// umin vD.4s, vN.4s, vM.4s
#define UMIN32(M, N, D) WORD $(0x6EA06C00|(M)<<16|(N)<<5|(D))

// fmin vD.4s, vN.4s, vM.4s
#define FMIN32(M, N, D) WORD $(0x4EA0F400|(M)<<16|(N)<<5|(D))

// fmax vD.4s, vN.4s, vM.4s
#define FMAX32(M, N, D) WORD $(0x4E20F400|(M)<<16|(N)<<5|(D))

// fadd vD.2d, vN.2d, vM.2d
#define FADD64(M, N, D) WORD $(0x4E60D400|(M)<<16|(N)<<5|(D))

// fsub vD.2d, vN.2d, vM.2d
#define FSUB64(M, N, D) WORD $(0x4EE0D400|(M)<<16|(N)<<5|(D))

// faddp vD.2d, vN.2d, vM.2d
#define FADDP64(M, N, D) WORD $(0x6E60D400|(M)<<16|(N)<<5|(D))

// fmin vD.2d, vN.2d, vM.2d
#define FMIN64(M, N, D) WORD $(0x4EE0F400|(M)<<16|(N)<<5|(D))

// fmax vD.2d, vN.2d, vM.2d
#define FMAX64(M, N, D) WORD $(0x4E60F400|(M)<<16|(N)<<5|(D))

// saddw vD.4s, vN.4s, vM.4h
#define SADDW16(M, N, D) WORD $(0x0E601000|(M)<<16|(N)<<5|(D))

// saddw2 vD.4s, vN.4s, vM.8h
#define SADDWH16(M, N, D) WORD $(0x4E601000|(M)<<16|(N)<<5|(D))

// saddw vD.2d, vN.2d, vM.2s
#define SADDW32(M, N, D) WORD $(0x0EA01000|(M)<<16|(N)<<5|(D))

// saddw2 vD.2d, vN.2d, vM.4s
#define SADDWH32(M, N, D) WORD $(0x4EA01000|(M)<<16|(N)<<5|(D))

// uaddw vD.4s, vN.4s, vM.4h
#define UADDW16(M, N, D) WORD $(0x2E601000|(M)<<16|(N)<<5|(D))

// uaddw2 vD.4s, vN.4s, vM.8h
#define UADDWH16(M, N, D) WORD $(0x6E601000|(M)<<16|(N)<<5|(D))

// uaddw vD.2d, vN.2d, vM.2s
#define UADDW32(M, N, D) WORD $(0x2EA01000|(M)<<16|(N)<<5|(D))

// uaddw2 vD.2d, vN.2d, vM.4s
#define UADDWH32(M, N, D) WORD $(0x6EA01000|(M)<<16|(N)<<5|(D))

// sxtl vD.8h, vN.8b
#define SXTL8(N, D) WORD $(0x0F08A400|(N)<<5|(D))

// sxtl2 vD.8h, vN.16b
#define SXTLH8(N, D) WORD $(0x4F08A400|(N)<<5|(D))

// sxtl vD.4s, vN.4h
#define SXTL16(N, D) WORD $(0x0F10A400|(N)<<5|(D))

// sxtl2 vD.4s, vN.8h
#define SXTLH16(N, D) WORD $(0x4F10A400|(N)<<5|(D))

// sxtl vD.2d, vN.2s
#define SXTL32(N, D) WORD $(0x0F20A400|(N)<<5|(D))

// sxtl2 vD.2d, vN.4s
#define SXTLH32(N, D) WORD $(0x4F20A400|(N)<<5|(D))

// uxtl vD.8h, vN.8b
#define UXTL8(N, D) WORD $(0x2F08A400|(N)<<5|(D))

// uxtl2 vD.8h, vN.16b
#define UXTLH8(N, D) WORD $(0x6F08A400|(N)<<5|(D))

// uxtl vD.4s, vN.4h
#define UXTL16(N, D) WORD $(0x2F10A400|(N)<<5|(D))

// uxtl2 vD.4s, vN.8h
#define UXTLH16(N, D) WORD $(0x6F10A400|(N)<<5|(D))

// uxtl vD.2d, vN.2s
#define UXTL32(N, D) WORD $(0x2F20A400|(N)<<5|(D))

// uxtl2 vD.2d, vN.4s
#define UXTLH32(N, D) WORD $(0x6F20A400|(N)<<5|(D))

// saddlp vD.8h, vN.16b
#define SADDLP8(N, D) WORD $(0x4E202800|(N)<<5|(D))

// sadalp vD.4s, vN.8h
#define SADALP16(N, D) WORD $(0x4E606800|(N)<<5|(D))

// sadalp vD.2d, vN.4s
#define SADALP32(N, D) WORD $(0x4EA06800|(N)<<5|(D))

// scvtf vD.4s, vN.4s
#define SCVTF32(N, D) WORD $(0x4E21D800|(N)<<5|(D))

// scvtf vD.2d, vN.2d
#define SCVTF64(N, D) WORD $(0x4E61D800|(N)<<5|(D))

// uaddlp vD.8h, vN.16b
#define UADDLP8(N, D) WORD $(0x6E202800|(N)<<5|(D))

// uadalp vD.4s, vN.8h
#define UADALP16(N, D) WORD $(0x6E606800|(N)<<5|(D))

// uadalp vD.2d, vN.4s
#define UADALP32(N, D) WORD $(0x6EA06800|(N)<<5|(D))

// ucvtf vD.4s, vN.4s
#define UCVTF32(N, D) WORD $(0x6E21D800|(N)<<5|(D))

// ucvtf vD.2d, vN.2d
#define UCVTF64(N, D) WORD $(0x6E61D800|(N)<<5|(D))

// fcvtl vD.2d, vN.2s
#define FCVTL(N, D) WORD $(0x0E617800|(N)<<5|(D))

// fcvtl2 vD.2d, vN.4s
#define FCVTLH(N, D) WORD $(0x4E617800|(N)<<5|(D))

// fcvtn vD.2s, vN.2d
#define FCVTN(N, D) WORD $(0x0E616800|(N)<<5|(D))

// fcvtn2 vD.4s, vN.2d
#define FCVTNH(N, D) WORD $(0x4E616800|(N)<<5|(D))

// fcvtzs vD.4s, vN.4s
#define FCVTZS32(N, D) WORD $(0x4EA1B800|(N)<<5|(D))

// fcvtzs vD.2d, vN.2d
#define FCVTZS64(N, D) WORD $(0x4EE1B800|(N)<<5|(D))

// sqxtn vD.2s, vN.2d
#define SQXTN32(N, D) WORD $(0x0EA14800|(N)<<5|(D))

// sqxtn2 vD.4s, vN.2d
#define SQXTNH32(N, D) WORD $(0x4EA14800|(N)<<5|(D))

// fcmeq vD.4s, vN.4s, vM.4s
#define FCMEQ32(M, N, D) WORD $(0x4E20E400|(M)<<16|(N)<<5|(D))

// fcmeq vD.2d, vN.2d, vM.2d
#define FCMEQ64(M, N, D) WORD $(0x4E60E400|(M)<<16|(N)<<5|(D))

// add vD.2d, vN.2d, vM.2d
#define ADD64(M, N, D) WORD $(0x4EE08400|(M)<<16|(N)<<5|(D))

// cmgt vD.2d, vN.2d, vM.2d
#define CMGT64(M, N, D) WORD $(0x4EE03400|(M)<<16|(N)<<5|(D))

// cmhi vD.2d, vN.2d, vM.2d
#define CMHI64(M, N, D) WORD $(0x6EE03400|(M)<<16|(N)<<5|(D))

// bit vD.16b, vN.16b, vM.16b
#define BIT(M, N, D) WORD $(0x6EA01C00|(M)<<16|(N)<<5|(D))
