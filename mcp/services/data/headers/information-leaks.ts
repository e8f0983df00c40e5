import { type CspFinding, headerLines, type Lines } from '../../../lib/csp/finding.ts'
import { clean } from '../../../lib/text/clean.ts'

/** Headers that tell attackers what runs here, and nothing to browsers. */
const revealingHeaders = [
  'x-powered-by',
  'x-aspnet-version',
  'x-aspnetmvc-version',
  'x-generator',
  'x-drupal-dynamic-cache',
  'x-runtime',
  'x-debug-token',
  'x-debug-token-link',
  'x-php-version',
  'x-owa-version',
  'x-backend-server',
  'x-server-name',
  'x-powered-cms',
  'liferay-portal',
  'microsoftofficewebserver',
  'microsoftsharepointteamservices',
  'x-mod-pagespeed',
  'x-jenkins',
] as const

/** Headers that browsers heed no more. */
const obsoleteHeaders: Readonly<Record<string, string>> = {
  'x-content-security-policy': 'use Content-Security-Policy',
  'x-webkit-csp': 'use Content-Security-Policy',
  'public-key-pins': 'pinning was dropped',
  'public-key-pins-report-only': 'pinning was dropped',
  'expect-ct': 'browsers ask for transparency on their own',
  'feature-policy': 'use Permissions-Policy',
  p3p: 'it was dropped',
}

const version = /\d+\.\d+|\/\d+/

const privateAddress =
  /(?<![\d.])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}(?![\d.])/

const serverFindings = (headers: Lines): CspFinding[] => {
  const server = clean(headerLines(headers, 'server')[0], 200)
  if (server === null || !version.test(server)) return []
  return [
    {
      code: 'server_version',
      severity: 'low',
      message: `Server tells its version: ${server}.`,
      fix: `Server: ${server.split(/[/\s]/)[0]}`,
    },
  ]
}

const revealingFindings = (headers: Lines): CspFinding[] =>
  revealingHeaders.flatMap(name => {
    const value = clean(headerLines(headers, name)[0], 100)
    if (value === null) return []
    return [
      {
        code: 'info_leak',
        severity: 'low' as const,
        message: `${name} tells what runs here: ${value}.`,
        fix: `remove ${name}`,
      },
    ]
  })

const obsoleteFindings = (headers: Lines): CspFinding[] =>
  Object.entries(obsoleteHeaders).flatMap(([name, instead]) =>
    headerLines(headers, name).length === 0
      ? []
      : [
          {
            code: 'dead_header',
            severity: 'info' as const,
            message: `${name} has no effect any more: ${instead}.`,
            fix: `remove ${name}`,
          },
        ],
  )

const addressFindings = (headers: Lines): CspFinding[] => {
  const leak = Object.entries(headers).find(([, lines]) => lines.some(line => privateAddress.test(line)))
  if (!leak) return []
  return [
    {
      code: 'inner_address',
      severity: 'low',
      message: `${leak[0].slice(0, 60)} tells an address of the inner network.`,
      fix: `remove ${leak[0].slice(0, 60)}`,
    },
  ]
}

/** Facts the headers give away, and what is sent for nothing. */
export const leakFindings = (headers: Lines): CspFinding[] => [
  ...serverFindings(headers),
  ...revealingFindings(headers),
  ...addressFindings(headers),
  ...obsoleteFindings(headers),
]
