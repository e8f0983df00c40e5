import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const program = (end: string) => `
  import { logCall, openLog } from './dist/mcp/kernel/log.js'
  const log = openLog('info')
  for (let nth = 0; nth < 300; nth++) logCall(log, { service: 'cat', tool: 'pet', channel: 'rest', ms: nth, code: 'ok' })
  ${end}
`

test.each([
  ['ends by itself', ''],
  ['is told to exit', 'process.exit(3)'],
  ['dies of an exception', 'throw new Error("dead")'],
])('a process that %s has written all of its lines', (_, end) => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program(end)], {
    encoding: 'utf8',
  })
  expect(stdout.trim().split('\n')).toHaveLength(300)
})
