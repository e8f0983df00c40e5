export type Row = {
  label: string
  slug: string
  version: string
  interfaces: [path: string, binding: string, version: string | null][]
  official: [path: string, version: string][]
  extensions: string[]
  schemes: Record<string, string>
  requirements: object[]
}

/** Spec §1, §2.1, §4.1, §5 and §9 as data. Extensions that start with "/" lie under the service. */
export const facts: readonly Row[] = [
  {
    label: 'A',
    slug: 'gateway',
    version: '0.8.0',
    interfaces: [['/a2a/v1', 'JSONRPC', '1.0']],
    official: [
      ['/a2a/v1', '1.0'],
      ['/a2a/v1', '0.3'],
    ],
    extensions: [],
    schemes: {},
    requirements: [],
  },
  {
    label: 'B',
    slug: 'broker',
    version: 'v1.1.0',
    interfaces: [['/a2a', 'JSONRPC', '1.0']],
    official: [
      ['/a2a', '1.0'],
      ['/a2a', '0.3'],
    ],
    extensions: ['/extensions/machine-contract/v1'],
    schemes: { apiKey: 'api_key' },
    requirements: [],
  },
  {
    label: 'C',
    slug: 'cat',
    version: '1.0.0',
    interfaces: [
      ['/', 'JSONRPC', '1.0'],
      ['/a2a', 'JSONRPC', '1.0'],
    ],
    official: [
      ['/', '1.0'],
      ['/a2a', '1.0'],
      ['/', '0.3'],
      ['/a2a', '0.3'],
    ],
    extensions: [],
    schemes: {},
    requirements: [],
  },
  {
    label: 'D',
    slug: 'data',
    version: '1.1.0',
    interfaces: [['/a2a', 'JSONRPC', '0.3.0']],
    official: [['/a2a', '0.3']],
    extensions: [],
    schemes: {},
    requirements: [],
  },
  {
    label: 'E',
    slug: 'money',
    version: '1.0.0',
    interfaces: [['/', 'JSONRPC', null]],
    official: [['/', '0.3']],
    extensions: [],
    schemes: {},
    requirements: [],
  },
  {
    label: 'F',
    slug: 'proof',
    version: '1.13.0',
    interfaces: [['/a2a', 'JSONRPC', '0.3.0']],
    official: [['/a2a', '0.3']],
    extensions: ['/extensions/conduct/v1'],
    schemes: { bearer: 'http', l402: 'api_key', x402: 'api_key' },
    requirements: [{ bearer: [] }, { l402: [] }, { x402: [] }],
  },
  {
    label: 'G',
    slug: 'tasks',
    version: '0.1.0',
    interfaces: [
      ['/a2a/v1', 'JSONRPC', '0.3.0'],
      ['/mcp', 'STREAMABLE_HTTP', null],
      ['/api/v1', 'HTTP+JSON', null],
    ],
    official: [['/a2a/v1', '0.3']],
    extensions: [],
    schemes: { erc8128: 'http' },
    requirements: [{ erc8128: [] }],
  },
  {
    label: 'H',
    slug: 'forecast',
    version: '2.0.0',
    interfaces: [['/', 'JSONRPC', '1.0']],
    official: [
      ['/', '1.0'],
      ['/', '0.3'],
    ],
    extensions: [
      '/extensions/agent-protocol/v1',
      'urn:erc8004:agent-registry:v1',
      '/extensions/calibration/v1',
    ],
    schemes: { x402Payment: 'http', public: 'http' },
    requirements: [{ x402Payment: [] }, { public: [] }],
  },
]
