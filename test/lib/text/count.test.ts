import { expect, test } from 'vitest'
import { countText } from '../../../mcp/lib/text/count.ts'

test.each([
  [1, 'application', '1 application'],
  [2, 'application', '2 applications'],
  [0, 'entry', '0 entries'],
  [3, 'day', '3 days'],
  [2, 'known-bad address', '2 known-bad addresses'],
])('%d times "%s" is "%s"', (count, noun, text) => expect(countText(count, noun)).toBe(text))
