import { z } from 'zod'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import { skill } from './skill.ts'
import { detect } from './tech/detect.ts'
import { group } from './tech/group.ts'

const one = (what: string) => z.string().nullable().describe(what)
const several = (what: string) => z.array(z.string()).describe(what)

export default skill({
  id: 'tech-detect',
  argument: 'url',
  price: '0.005',
  tags: ['web', 'technology', 'stack'],
  keywords: ['stack', 'software', 'libraries', 'built', 'plugins', 'programming'],
  openWorld: true,
  cacheSec: 300,
  key: ({ url }) => parseAddress(url),
  target: ({ url }) => toHostname(url),
  title: 'Detect what a site is made with',
  description:
    'Detects the CDN, web server, hosting, framework, CMS, shop, analytics, payment and some 1,200 other technologies of a site from headers, cookies, markup, scripts and the DNS, with versions, confidence and the evidence. Free over A2A and MCP, else 0.005 USD.',
  input: z.object({ url: AddressInput }),
  output: z.object({
    url: z.string().describe('The address that was asked for, absolute'),
    final_url: z.string().describe('Where the last redirect led'),
    status: z.number().int().describe('HTTP status of the final page'),
    technologies: z
      .array(
        z.object({
          name: z.string().describe('Name'),
          category: z.string().describe('cdn, server, hosting, framework, cms, analytics, payment, …'),
          version: one('Version as it is told'),
          confidence: z.number().int().describe('0 to 100'),
          evidence: several('What was seen'),
        }),
      )
      .describe('Technologies, surest first'),
    count: z.number().int().describe('Number of technologies'),
    server: one('Web server'),
    cdn: one('Content delivery network'),
    hosting: one('Hosting'),
    framework: one('Framework'),
    cms: one('Content system or site builder'),
    ecommerce: one('Shop system'),
    analytics: several('Analytics'),
    payments: several('Payment services'),
    tag_managers: several('Tag managers'),
    languages: several('Languages and runtimes'),
  }),
  main: 'technologies',
  needs: ['fetch', 'workers', 'dns'],
  examples: [{ url: 'http://example.com/' }],
  summary: ({ final_url: finalUrl, technologies, count }) =>
    count === 0
      ? `Nothing is known of ${finalUrl}.`
      : `${finalUrl}: ${technologies
          .slice(0, 8)
          .map(({ name }) => name)
          .join(', ')}.`,
}).run(async ({ signal, ...ports }, { url: input }) => {
  const url = parseAddress(input) ?? input
  const { fetched, technologies, warnings, truncated } = await detect(ports, url, signal)
  return {
    url,
    final_url: fetched.url,
    status: fetched.status,
    technologies,
    count: technologies.length,
    ...group(technologies),
    about: { sources: [fetched.url], warnings, truncated },
  }
})
