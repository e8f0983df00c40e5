import { expect, test } from 'vitest'
import { openContexts } from '../../a2a-adapter/tasks/context.ts'
import type { World } from '../../mcp/kernel/call.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'

const worldWith = (pepper?: string): World =>
  ({ ports: pepper === undefined ? {} : { keys: openKeys(Buffer.from(pepper.repeat(32))) } }) as World

test('no id is made twice, and each is known on every replica', () => {
  const [here, there] = [openContexts(worldWith('a')), openContexts(worldWith('a'))]
  const ids = Array.from({ length: 500 }, () => here.make())
  expect(new Set(ids).size).toBe(500)
  for (const id of ids) expect(there.isOurs(id)).toBe(true)
})

test('ids of another installation, and of no installation, are not ours', () => {
  const ours = openContexts(worldWith('a'))
  expect(ours.isOurs(openContexts(worldWith('b')).make())).toBe(false)
  expect(ours.isOurs(openContexts(worldWith()).make())).toBe(false)
  for (const id of ['', 'chosen', `${'A'.repeat(22)}.${'A'.repeat(22)}`]) expect(ours.isOurs(id)).toBe(false)
})

test('an id with any letter changed is not ours, also where it spells the same bytes', () => {
  const contexts = openContexts(worldWith('a'))
  const id = contexts.make()
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (let at = 0; at < id.length; at++)
    for (const letter of letters) {
      if (letter === id[at] || id[at] === '.') continue
      expect(contexts.isOurs(id.slice(0, at) + letter + id.slice(at + 1))).toBe(false)
    }
})

test('an id that was made under the pepper before is ours while it is rotated', () => {
  const id = openContexts(worldWith('a')).make()
  const keys = openKeys(Buffer.from('b'.repeat(32)), Buffer.from('a'.repeat(32)))
  const rotating = openContexts({ ports: { keys } } as World)
  expect([rotating.isOurs(id), openContexts(worldWith('b')).isOurs(rotating.make())]).toEqual([true, true])
})
