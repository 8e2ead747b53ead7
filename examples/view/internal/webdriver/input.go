package webdriver

// Simulated input of a user

const elementKey = "element-6066-11e4-a52e-4f735466cecf" // key of an element reference in the protocol

func (b *Browser) find(selector string) string {
	b.t.Helper()
	var ref map[string]string
	b.call("POST", b.session+"/element", map[string]string{"using": "css selector", "value": selector}, &ref)
	return b.session + "/element/" + ref[elementKey]
}

// Click clicks the first element that matches a CSS selector. The element must be visible.
func (b *Browser) Click(selector string) {
	b.t.Helper()
	b.call("POST", b.find(selector)+"/click", nil, nil)
}

// Type replaces the text of a field and presses Enter.
func (b *Browser) Type(selector, text string) {
	b.t.Helper()
	b.Run(nil, `const e = document.querySelector(arguments[0]); e.focus(); e.select()`, selector)
	b.call("POST", b.find(selector)+"/value", map[string]string{"text": text + Enter}, nil)
}

// Choose selects an option of a select element by its text.
func (b *Browser) Choose(selector, text string) {
	b.t.Helper()
	var ok bool
	b.Run(&ok, `const s = document.querySelector(arguments[0]);
		const o = [...s.options].find((o) => o.text === arguments[1]);
		if (!o || s.disabled) return false;
		s.value = o.value;
		s.dispatchEvent(new Event("change", {bubbles: true}));
		return true`, selector, text)
	if !ok {
		b.t.Fatalf("browser: %s has no option %q", selector, text)
	}
}

// Keys without a character, as encoded by the protocol
const (
	Enter, Escape, Shift, Control, Tab   = "\ue007", "\ue00c", "\ue008", "\ue009", "\ue004"
	PageUp, PageDown, End, Home          = "\ue00e", "\ue00f", "\ue010", "\ue011"
	ArrowLeft, ArrowUp, ArrowRight, Down = "\ue012", "\ue013", "\ue014", "\ue015"
)

func (b *Browser) performActions(source map[string]any) {
	b.t.Helper()
	b.call("POST", b.session+"/actions", map[string]any{"actions": []any{source}}, nil)
}

// Press presses keys in order, then releases them in reverse order.
func (b *Browser) Press(keys ...string) {
	b.t.Helper()
	var actions []any
	for _, k := range keys {
		actions = append(actions, map[string]string{"type": "keyDown", "value": k})
	}
	for i := len(keys) - 1; i >= 0; i-- {
		actions = append(actions, map[string]string{"type": "keyUp", "value": keys[i]})
	}
	b.performActions(map[string]any{"type": "key", "id": "keyboard", "actions": actions})
}

func (b *Browser) pointer(actions ...any) {
	b.t.Helper()
	b.performActions(map[string]any{"type": "pointer", "id": "mouse",
		"parameters": map[string]string{"pointerType": "mouse"},
		"actions":    actions})
}

func moveTo(x, y int) map[string]any {
	return map[string]any{"type": "pointerMove", "x": x, "y": y, "duration": 0, "origin": "viewport"}
}

// Move moves the pointer to a position in the window, in CSS pixels.
func (b *Browser) Move(x, y int) {
	b.t.Helper()
	b.pointer(moveTo(x, y))
}

// Drag presses the button at one position and releases it at another.
func (b *Browser) Drag(x0, y0, x1, y1 int) {
	b.t.Helper()
	b.pointer(moveTo(x0, y0), map[string]any{"type": "pointerDown", "button": 0}, moveTo((x0+x1)/2, (y0+y1)/2), moveTo(x1,
		y1),
		map[string]any{"type": "pointerUp", "button": 0})
}

// DragWith drags while key is held.
func (b *Browser) DragWith(key string, x0, y0, x1, y1 int) {
	b.t.Helper()
	b.performActions(map[string]any{"type": "key", "id": "keyboard", "actions": []any{map[string]string{"type": "keyDown",
		"value": key}}})
	b.Drag(x0, y0, x1, y1)
	b.performActions(map[string]any{"type": "key", "id": "keyboard", "actions": []any{map[string]string{"type": "keyUp",
		"value": key}}})
}

// Wheel turns the mouse wheel by dx and dy CSS pixels at a position.
func (b *Browser) Wheel(x, y, dx, dy int) {
	b.t.Helper()
	b.performActions(map[string]any{"type": "wheel", "id": "wheel", "actions": []any{
		map[string]any{"type": "scroll", "x": x, "y": y, "deltaX": dx, "deltaY": dy, "duration": 0, "origin": "viewport"},
	}})
}

// Tap touches the screen at a position with one finger.
func (b *Browser) Tap(x, y int) {
	b.t.Helper()
	b.performActions(map[string]any{"type": "pointer", "id": "finger",
		"parameters": map[string]string{"pointerType": "touch"},
		"actions": []any{
			moveTo(x, y), map[string]any{"type": "pointerDown", "button": 0}, map[string]any{"type": "pointerUp", "button": 0},
		}})
}
