import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { openWorld } from '../../app/world.ts'
import { port } from '../../mcp/kernel/port.ts'
import type { Service } from '../../mcp/kernel/service.ts'

const folder = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-open-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

const open = (environment: Record<string, string>, list: readonly Service[] = services) =>
  openWorld(readConfig({ OCTAGENT_LOG: 'silent', ...environment }, list), () => 'http://localhost', {
    services: list,
  })

test('payments that refuse to open leave no store open', async () => {
  const dir = await folder()
  const key = `0x${'ab'.repeat(32)}`
  await writeFile(join(dir, 'devnet.json'), JSON.stringify({ demo: key }))
  const real = {
    OCTAGENT_DATA: dir,
    OCTAGENT_NETWORKS: 'base=http://127.0.0.1:1',
    OCTAGENT_PAY_TO: `0x${'1'.repeat(40)}`,
    OCTAGENT_FACILITATOR_KEY: key,
  }
  await expect(open(real)).rejects.toThrow('OCTAGENT_FACILITATOR_KEY is a key of a local chain')
  const { close } = await open({ OCTAGENT_DATA: dir, OCTAGENT_DEVNET: 'false' })
  await close()
})

test('a port that cannot be opened closes those before it, and the store', async () => {
  const dir = await folder()
  const [cat] = services.filter(({ slug }) => slug === 'cat')
  if (!cat) throw new Error('no cat')
  const closedPorts: string[] = []
  const first = port({ name: 'first', needs: [] }).open(() => ({ close: () => closedPorts.push('first') }))
  const second = port({ name: 'second', needs: [first] }).open((): object => {
    throw new Error('there is no second')
  })
  const environment = { OCTAGENT_DATA: dir, OCTAGENT_DEVNET: 'false' }
  await expect(open(environment, [{ ...cat, ports: [second, first] }])).rejects.toThrow('there is no second')
  expect(closedPorts).toEqual(['first'])
  const { close } = await open(environment, [cat])
  await close()
})
