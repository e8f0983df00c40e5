import { z } from 'zod'
import { kinds } from '../../../lib/page/links/reference.ts'

const place = {
  text: z.string().nullable().describe('Link text, or alternative text of an image'),
  found_in: z.string().describe('Element that it was first found in'),
  kind: z.enum(kinds).describe('What a browser does with it'),
  count: z.number().int().describe('How often it is on the page'),
}

const url = z.string().describe('The address, absolute and without its fragment')

const entry = z.object({
  url,
  status: z.number().int().nullable().describe('HTTP status of the last answer; null without one'),
  reason: z.string().describe('Stable code such as not_found, tls, rate_limit'),
  error: z.string().describe('The reason as a sentence'),
  final_url: z.string().nullable().describe('Where its redirects led; null without redirects'),
  ...place,
})

const redirect = z.object({
  url,
  status: z.number().int().nullable().describe('Status of the first redirect'),
  final_url: z.string().describe('Where the last redirect led'),
  final_status: z.number().int().nullable().describe('Status there'),
  permanent: z.boolean().describe('True when all redirects are 301 or 308: the address should be replaced'),
  redirects: z.number().int().describe('Redirects on the way'),
  ...place,
})

const hint = z.object({
  url,
  status: z.number().int().nullable().describe('Status of the last answer'),
  final_url: z.string().describe('The page that answered'),
  hint: z.string().describe('What hints at it'),
  ...place,
})

const fragment = z.object({
  url,
  fragment: z.string().describe('The fragment that no element of that page has'),
  ...place,
})

const count = (what: string) => z.number().int().describe(what)

export const output = z.object({
  url: z.string().describe('The page, absolute'),
  final_url: z.string().describe('Where its redirects led'),
  status: z.number().int().describe('HTTP status of the page'),
  total: count('Different addresses on the page, fragments apart'),
  checked: count('Addresses that were asked'),
  ok: count('Addresses that answer well, also after redirects'),
  broken: z.array(entry).describe('Broken: 404, 410, server errors, no such host, TLS, refused'),
  broken_count: count('Broken ones'),
  blocked: z.array(entry).describe('Not open to programs: 401, 403, 429, 451, 999, robot checks. Not broken'),
  blocked_count: count('Blocked ones'),
  redirected: z.array(redirect).describe('Those of the good ones that redirect'),
  redirected_count: count('Redirected ones'),
  skipped: z
    .array(entry)
    .describe('Not asked: mail, phone, scripts, private hosts, hosts at their limit; at most 100 are listed'),
  skipped_count: count('Skipped ones'),
  timed_out: z.array(entry).describe('No answer in time, or not reached within 20 s'),
  timed_out_count: count('Those without an answer in time'),
  unknown: z.array(entry).describe('Nobody can tell: the DNS fails, the connection breaks'),
  unknown_count: count('Unknown ones'),
  not_checked: count('Addresses beyond the limit'),
  soft_not_found: z.array(hint).describe('Good ones that may be pages for "not found" all the same'),
  soft_not_found_count: count('Those with a hint'),
  missing_fragments: z
    .array(fragment)
    .describe('Fragments that name nothing, where fragments were asked for'),
  missing_fragment_count: count('Missing fragments'),
  truncated: z.boolean().describe('True when not every address was checked'),
  duration_ms: count('Milliseconds the check took'),
})
