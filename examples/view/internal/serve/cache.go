package serve

import (
	"container/list"
	"sync"
)

// A cache keeps recently used answers, in at most limit bytes.
type cache struct {
	limit int

	mu      sync.Mutex
	entries map[string]*list.Element
	order   list.List // values are *cached; most recently used first
	bytes   int
}

type cacheEntry struct {
	key    string
	answer *binaryAnswer
}

// overhead is the approximate size of an entry without its key and data.
const overhead = 256

func (c *cacheEntry) size() int { return len(c.key) + len(c.answer.data) + overhead }

// get returns the answer stored under key, or nil.
func (c *cache) get(key string) *binaryAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cacheEntry).answer
}

// put stores an answer, and removes the least recently used ones to make room for it.
func (c *cache) put(key string, a *binaryAnswer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[key]; ok {
		return
	}
	if c.entries == nil {
		c.entries = map[string]*list.Element{}
	}
	entry := &cacheEntry{key, a}
	c.entries[key] = c.order.PushFront(entry)
	for c.bytes += entry.size(); c.bytes > c.limit; {
		last := c.order.Remove(c.order.Back()).(*cacheEntry)
		delete(c.entries, last.key)
		c.bytes -= last.size()
	}
}
