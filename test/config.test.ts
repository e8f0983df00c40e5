import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { configurationPage, environmentExample } from '../cli/docs.ts'
import { readConfig } from '../config.ts'

const refusal = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
    return ''
  } catch (thrown) {
    return (thrown as Error).message
  }
}

test('needs nothing', () => {
  expect(readConfig({})).toMatchObject({ PORT: 8402, OCTAGENT_BIND: '127.0.0.1', OCTAGENT_MCP_SHIM: true })
})

test('names every wrong and every unknown variable at once', () => {
  const message = refusal({ PORT: 'ninety', OCTAGENT_COLOUR: 'red', PUBLIC_URL: 'example.org', HOSTS: 'cat' })
  for (const name of ['PORT', 'OCTAGENT_COLOUR', 'PUBLIC_URL', 'HOSTS']) expect(message).toContain(name)
})

test('leaves the variables of others alone', () => expect(refusal({ PATH: '/bin', COLOUR: 'red' })).toBe(''))

test('an empty variable is an absent one', () =>
  expect(readConfig({ PUBLIC_URL: '' }).PUBLIC_URL).toBeUndefined())

test('never prints a secret', () => {
  const pepper = 'p'.repeat(40)
  const config = readConfig({ OCTAGENT_PEPPER: pepper, DATABASE_URL: '' })
  for (const text of [JSON.stringify(config), inspect(config), String(config.OCTAGENT_PEPPER)]) {
    expect(text).not.toContain(pepper)
    expect(text).toContain('[secret]')
  }
  expect(config.OCTAGENT_PEPPER?.reveal()).toBe(pepper)
  expect(refusal({ OCTAGENT_PEPPER: 'tooshort' })).not.toContain('tooshort')
})

test('a database needs the keys that replicas share', () => {
  const message = refusal({ DATABASE_URL: 'postgres://localhost/x' })
  expect(message).toContain('OCTAGENT_PEPPER')
  expect(message).toContain('OCTAGENT_SIGNING_KEY')
})

test('an address beyond loopback needs a public URL', () => {
  expect(refusal({ OCTAGENT_BIND: '0.0.0.0' })).toContain('PUBLIC_URL')
  expect(refusal({ OCTAGENT_BIND: '0.0.0.0', PUBLIC_URL: 'https://a.example' })).toBe('')
})

test('a network needs who is paid and who settles, by its kind', () => {
  const evm = refusal({ OCTAGENT_NETWORKS: 'base=https://rpc.example' })
  expect(evm).toContain('OCTAGENT_PAY_TO')
  expect(evm).toContain('OCTAGENT_FACILITATOR_URL')
  const solana = refusal({ OCTAGENT_NETWORKS: 'solana=https://rpc.example' })
  expect(solana).toContain('OCTAGENT_SOLANA_PAY_TO')
  expect(solana).not.toContain('OCTAGENT_FACILITATOR_URL')
  expect(refusal({ OCTAGENT_NETWORKS: 'ethereum=https://rpc.example' })).toContain('OCTAGENT_NETWORKS')
  const { OCTAGENT_NETWORKS: networks } = readConfig({
    OCTAGENT_NETWORKS: 'base=https://rpc.example/key, arbitrum=http://127.0.0.1:1',
    OCTAGENT_PAY_TO: `0x${'1'.repeat(40)}`,
    OCTAGENT_FACILITATOR_URL: 'https://facilitator.example',
  })
  expect(networks?.map(({ name }) => name)).toEqual(['base', 'arbitrum'])
  expect(JSON.stringify(networks)).not.toContain('rpc.example')
})

test('reads host names for services', () => {
  expect(readConfig({ HOSTS: 'Cat.example.org=cat, data.example.org=data' }).HOSTS).toEqual([
    { host: 'cat.example.org', slug: 'cat' },
    { host: 'data.example.org', slug: 'data' },
  ])
})

test('.env.example and docs/configuration.md are fresh', () => {
  expect(readFileSync('.env.example', 'utf8')).toBe(environmentExample())
  expect(readFileSync('docs/configuration.md', 'utf8')).toBe(configurationPage())
})
