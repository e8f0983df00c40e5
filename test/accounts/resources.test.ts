import { describe, expect, test } from 'vitest'
import { openProtectedResources, type ProtectedResource } from '../../mcp/accounts/oauth/resources.ts'

const resource = (slug: string | undefined, url: string): ProtectedResource => ({
  slug,
  name: slug ?? 'All',
  url: () => url,
})

const known = '/.well-known/oauth-protected-resource'
const issuer = 'https://example.org/auth'

const open = (root: string, ...resources: ProtectedResource[]) => {
  const opened = openProtectedResources(resources, () => root)
  return {
    ...opened,
    at: (path: string, host?: string) => opened.document(`${known}${path}`, host, issuer, ['use'])?.resource,
  }
}

describe('in public', () => {
  const { at, find, documentUrl } = open(
    'https://example.org',
    resource(undefined, 'https://example.org/mcp'),
    resource('cat', 'https://cat.example.org/mcp'),
    resource('data', 'https://example.org/data/mcp'),
  )

  test.each([
    ['/mcp', 'example.org', 'https://example.org/mcp'],
    ['', 'example.org', 'https://example.org/mcp'],
    ['/data/mcp', 'example.org', 'https://example.org/data/mcp'],
    ['/data/mcp/', 'example.org', 'https://example.org/data/mcp'],
    ['/mcp', 'cat.example.org', 'https://cat.example.org/mcp'],
    ['', 'cat.example.org', 'https://cat.example.org/mcp'],
    ['/cat/mcp', 'example.org', 'https://cat.example.org/mcp'],
    ['/nothing/mcp', 'example.org', undefined],
    ['/mcp', 'evil.example', 'https://example.org/mcp'],
  ])('the document at %j of %s is that of %s', (path, host, expected) => {
    expect(at(path, host)).toBe(expected)
  })

  test('a service with a host of its own has its document there', () => {
    expect(documentUrl('https://cat.example.org/mcp')).toBe(`https://cat.example.org${known}/mcp`)
    expect(documentUrl('https://example.org/data/mcp', 'evil.example')).toBe(
      `https://example.org${known}/data/mcp`,
    )
  })

  test('only addresses of ours are resources', () => {
    expect(find('https://example.org/data/mcp/')?.slug).toBe('data')
    for (const address of [
      'https://example.org/mcp?x=1',
      'http://example.org.evil.example/mcp',
      'x',
      'https://127.0.0.1/mcp',
    ])
      expect(find(address)).toBeUndefined()
  })
})

describe('below a path', () => {
  const { at, documentUrl } = open(
    'https://example.org/agents',
    resource(undefined, 'https://example.org/agents/mcp'),
    resource('cat', 'https://example.org/agents/cat/mcp'),
  )

  test('the challenge names a document that reaches us', () => {
    expect(documentUrl('https://example.org/agents/cat/mcp')).toBe(
      `https://example.org/agents${known}/cat/mcp`,
    )
  })

  test.each(['/cat/mcp', '/agents/cat/mcp'])('it is found with and without the path: %s', path => {
    expect(at(path, 'example.org')).toBe('https://example.org/agents/cat/mcp')
  })
})

describe('one service at the root of this machine', () => {
  const { at, find, documentUrl, fallback } = open(
    'http://127.0.0.1:9001',
    resource('cat', 'http://127.0.0.1:9001/mcp'),
  )

  test('has the one resource, under each name of the machine', () => {
    expect(at('/mcp', '127.0.0.1:9001')).toBe('http://127.0.0.1:9001/mcp')
    expect(at('', 'localhost:9001')).toBe('http://localhost:9001/mcp')
    expect(at('/mcp', 'evil.example:9001')).toBe('http://127.0.0.1:9001/mcp')
    expect(documentUrl('http://127.0.0.1:9001/mcp', 'localhost:9001')).toBe(
      `http://localhost:9001${known}/mcp`,
    )
    expect(find('http://localhost:9001/mcp')?.slug).toBe('cat')
    expect(find('http://localhost:9002/mcp')).toBeUndefined()
    expect(fallback()?.slug).toBe('cat')
  })
})
