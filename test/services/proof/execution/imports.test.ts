import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readImports } from '../../../../mcp/services/proof/execute.ts'

test.each([
  ['import os', ['os']],
  ['import os.path as p, json  # import re', ['os.path', 'json']],
  ['from a.b import (\n  c,\n  d,\n)', ['a.b']],
  ['from . import x', ['.']],
  ['from.x import y', ['.x']],
  ['x = 1; import os', ['os']],
  ['if x: import os', ['os']],
  ['def f():\n    import numpy as np\n    return np', ['numpy']],
  ['import \\\n  os', ['os']],
  ['import os\r\nimport re', ['os', 're']],
  ['"""\nimport os\n"""', []],
  ["'''\nimport os\n'''\nimport re", ['re']],
  ['s = "import os"', []],
  ["s = r'\\'; import os #'", []],
  ['s = "a\\"\\nimport os"', []],
  ['# import os', []],
  ['important = 1\nfrom_ = 2', []],
  ['print("x"); import os', ['os']],
  ['"""', []],
])('%j imports %j', (code, names) => {
  expect(readImports(code)).toEqual(names)
})

test('it ends on every text, in time', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom('"', "'", '"""', '\\', '\n', 'import ', 'from ', 'a', '.', ';', '#', ' ', ','),
        {
          maxLength: 2000,
        },
      ),
      parts => {
        readImports(parts.join(''))
      },
    ),
  )
})
