import { expect, test } from 'vitest'
import { readConfig, readNodes } from '../../app/config.ts'

const names = [
  'OCTAGENT_RPC_ETH',
  'OCTAGENT_RPC_BASE',
  'OCTAGENT_RPC_ARBITRUM',
  'OCTAGENT_RPC_OPTIMISM',
  'OCTAGENT_RPC_POLYGON',
] as const

test.each(names)('%s names several public nodes unless it is set', name => {
  const urls = readConfig({})[name].map(url => url.reveal())
  expect(urls.length).toBeGreaterThan(3)
  for (const url of urls) expect(url).toMatch(/^https:\/\/[a-z0-9.-]+(\/\w+)?$/)
})

test.each(names)('%s takes a list of addresses, and prints none of them', name => {
  const config = readConfig({ [name]: 'http://127.0.0.1:8545, https://node.example/v1/key/' })
  expect(config[name].map(url => url.reveal())).toEqual([
    'http://127.0.0.1:8545',
    'https://node.example/v1/key',
  ])
  expect(JSON.stringify(config)).not.toContain('node.example')
})

test.each([',', 'node.example', 'https://node.example,ws://node.example', 'ftp://node.example'])(
  'refuses the list %j',
  list => {
    expect(() => readConfig({ OCTAGENT_RPC_BASE: list })).toThrow('OCTAGENT_RPC_BASE')
    expect(() => readConfig({ OCTAGENT_RPC_BASE: list })).not.toThrow('node.example')
  },
)

test('a chain is read first from the node that payments are taken on, which is asked once', () => {
  const config = readConfig({
    OCTAGENT_NETWORKS: 'base=https://paid.example',
    OCTAGENT_PAY_TO: '0x00000000000000000000000000000000000000aA',
    OCTAGENT_FACILITATOR_URL: 'https://facilitator.example',
    OCTAGENT_RPC_BASE: 'https://read.example,https://paid.example',
    OCTAGENT_RPC_ETH: 'https://read.example',
  })
  const { base, eth } = readNodes(config)
  expect([base, eth].map(nodes => nodes.map(url => url.reveal()))).toEqual([
    ['https://paid.example', 'https://read.example'],
    ['https://read.example'],
  ])
})
