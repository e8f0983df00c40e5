import { describe, expect, test } from 'vitest'
import { limitsIn } from '../../mcp/accounts/limits.ts'
import { opened } from '../opened.ts'
import {
  authorizeUrl,
  bearer,
  callMcp,
  clientId,
  openBrowser,
  redeem,
  refresh,
  startSigning,
  visit,
} from './fixture.ts'

const signing = opened(startSigning)

const json = async (address: string) => {
  const response = await fetch(address)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

describe('documents', () => {
  test.each([
    ['cat', '/cat/mcp'],
    ['the bundle', '/mcp'],
  ])('the resource document of %s names it exactly, and our authorization server', async (_, path) => {
    const { status, headers, body } = await json(`${signing.url}/.well-known/oauth-protected-resource${path}`)
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(body).toMatchObject({
      resource: `${signing.url}${path}`,
      authorization_servers: [signing.issuer],
      scopes_supported: ['use'],
      bearer_methods_supported: ['header'],
    })
  })

  test.each([
    '/.well-known/oauth-authorization-server/auth',
    '/.well-known/openid-configuration/auth',
    '/auth/.well-known/openid-configuration',
    '/auth/.well-known/oauth-authorization-server',
  ])('the server describes itself at %s', async path => {
    const { status, headers, body } = await json(`${new URL(signing.issuer).origin}${path}`)
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(body).toMatchObject({
      issuer: signing.issuer,
      authorization_endpoint: `${signing.issuer}/authorize`,
      token_endpoint: `${signing.issuer}/token`,
      registration_endpoint: `${signing.issuer}/register`,
      revocation_endpoint: `${signing.issuer}/revoke`,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
    expect(body.token_endpoint_auth_methods_supported).toContain('none')
  })
})

test('a person signs in, allows, and the client gets tokens that work', async () => {
  const { cookie, account } = await signing.person()
  const params = await visit(signing, cookie)
  expect(Object.fromEntries(params)).toMatchObject({ iss: signing.issuer, state: 'a state' })
  const tokens = await redeem(signing, params.get('code') ?? '')
  expect(tokens).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 900, scope: 'use' })
  expect(tokens.access_token).toMatch(/^oat_[\w-]{43}$/)
  const { status } = await callMcp(`${signing.url}/cat/mcp`, 'tools/list', {}, bearer(tokens.access_token))
  expect(status).toBe(200)
  const again = await refresh(signing, tokens.refresh_token)
  expect(again).toMatchObject({ status: 200 })
  expect(again.refresh_token).not.toBe(tokens.refresh_token)
  const { rows } = await limitsIn(signing.store).find({ index: 'account', where: { account } })
  expect(rows).toMatchObject([
    {
      client: { id: clientId, name: 'A command line' },
      per_call: '0.10',
      per_day: '1.00',
      services: ['cat'],
    },
  ])
})

test('nobody who is not signed in gets past the sign-in page', async () => {
  const browser = openBrowser(new URL(signing.issuer).origin)
  const { url } = await browser.open(authorizeUrl(signing))
  expect(url.pathname).toBe('/auth/sign-in')
  expect(url.searchParams.get('return')).toMatch(/^\/auth\/interaction\/[\w-]+$/)
})

test('whoever says no is told to the client', async () => {
  const { cookie } = await signing.person()
  const params = await visit(signing, cookie, {}, { decision: 'deny' })
  expect(params.get('error')).toBe('access_denied')
})
