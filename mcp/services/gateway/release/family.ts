/** Subject of the watch: one family of releases. `path` is under the releases API. */
export type Family = {
  subject: 'a2a' | 'mcp'
  name: string
  path: string
  official: string
  /** Versions that a client of the newest also speaks, as its specification says. */
  compatible: readonly string[]
}

export const families: readonly Family[] = [
  {
    subject: 'a2a',
    name: 'A2A specification',
    path: '/repos/a2aproject/A2A/releases/latest',
    official: 'https://github.com/a2aproject/A2A/releases',
    compatible: ['0.3', '1.0'],
  },
  {
    subject: 'mcp',
    name: 'MCP specification',
    path: '/repos/modelcontextprotocol/modelcontextprotocol/releases/latest',
    official: 'https://github.com/modelcontextprotocol/modelcontextprotocol/releases',
    compatible: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
  },
]

/** One release as it was read. */
export type Release = {
  version: string
  name: string
  published_at: string
  url: string
  prerelease: boolean
  release_id: string
}

/** A release and the look that found it. */
export type ReleaseObservation = {
  release: Release
  observed_at: string
  digest: string | null
  etag: string | null
  /** bundled: what was known when this program was made. */
  method: 'fetched' | 'revalidated' | 'kept' | 'bundled'
}

/** Facts known when this program was made, for when nobody can be asked. */
export const bundledObservations: Record<Family['subject'], ReleaseObservation> = {
  a2a: {
    release: {
      version: '1.0.1',
      name: 'v1.0.1',
      published_at: '2026-05-28T00:00:00.000Z',
      url: 'https://github.com/a2aproject/A2A/releases/tag/v1.0.1',
      prerelease: false,
      release_id: 'bundled',
    },
    observed_at: '2026-11-21T00:00:00.000Z',
    digest: null,
    etag: null,
    method: 'bundled',
  },
  mcp: {
    release: {
      version: '2026-07-28',
      name: '2026-07-28',
      published_at: '2026-07-28T00:00:00.000Z',
      url: 'https://github.com/modelcontextprotocol/modelcontextprotocol/releases/tag/2026-07-28',
      prerelease: false,
      release_id: 'bundled',
    },
    observed_at: '2026-11-21T00:00:00.000Z',
    digest: null,
    etag: null,
    method: 'bundled',
  },
}
