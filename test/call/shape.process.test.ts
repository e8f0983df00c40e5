import type { ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { expect, test } from 'vitest'
import { leaving } from '../../mcp/kernel/http.ts'
import { openAbort } from '../../mcp/kernel/pipeline/abort.ts'

setFlagsFromString('--allow-natives-syntax')
const isPlain = new Function('value', 'return %HasFastProperties(value)') as (value: object) => boolean

/** Whether the objects that are made so are kept as records; the first few of a kind may be, whatever they are. */
const arePlain = (make: () => object): boolean => Array.from({ length: 10 }, make).every(isPlain)

// An object with a getter of its own is kept as a dictionary, and what hung on such objects of a call outlived it: a sixth of all that
// calls allocated went into the old generation.
test.each<[string, () => object]>([
  ['what may end a run', openAbort],
  ['the departure of a client', () => leaving({} as ServerResponse)],
])('%s is a plain record', (_, make) => {
  expect(arePlain(make)).toBe(true)
})

test('an object with a getter of its own is told from that', () => {
  const make = () => ({
    get late() {
      return this
    },
  })
  expect(arePlain(make)).toBe(false)
})
