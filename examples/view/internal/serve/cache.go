package serve

import (
	"container/list"
	"sync"
)

// A cache keeps the answers that were used last, of up to so many bytes.
type cache struct {
	limit int

	mu      sync.Mutex
	entries map[string]*list.Element
	order   list.List // of *cached, the one used last in front
	bytes   int
}

type cached struct {
	key    string
	answer *binaryAnswer
}

// overhead is what an entry takes beside key and data, about.
const overhead = 256

func (c *cached) size() int { return len(c.key) + len(c.answer.data) + overhead }

// get returns the answer for key, nil if there is none.
func (c *cache) get(key string) *binaryAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).answer
}

// put keeps an answer, and forgets others for it.
func (c *cache) put(key string, a *binaryAnswer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[key]; ok {
		return
	}
	if c.entries == nil {
		c.entries = map[string]*list.Element{}
	}
	entry := &cached{key, a}
	c.entries[key] = c.order.PushFront(entry)
	for c.bytes += entry.size(); c.bytes > c.limit; {
		last := c.order.Remove(c.order.Back()).(*cached)
		delete(c.entries, last.key)
		c.bytes -= last.size()
	}
}
