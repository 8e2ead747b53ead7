package main

// knownCold lists random works that used to read too much. bench-cold repeats them before it draws new works.
var knownCold = []string{
	"update i1 C 8,2796202,3 [:,2307134:2700933:1,:] S T2,0,1", // across short arrays of a stack
	"mean:0 u1 C 3,22369621 [:,11692682:14685640:2] S",         // short arrays of a stack, in succession
	"sum i1 C 64,65536,64 [:,100:3000:1,:] S",
	"take >u2 F 8,3,8,524288", // rows across the order of the file
	"mean:0,3 i1 C 6,2,4525,4502 [::-1,:,:,::-1]",
	"exchange i2 C 6688,3,6688", // runs as short as pages
	"exchange u1 C 9459,3,9459",
	"save:F >i2 C 3,4207,2,3488 [::-1]",
	"save:F i2 C 100,100,100,100", // rows of few pages, of which a tile has only a part
	"save:C u1 F 8192,24,1024",
	"map:F i4 F 67108864 [:]", // both the source and the destination are read ahead
	"map:C i2 F 100663296",
	"values >u8 F 33,508400",
}
