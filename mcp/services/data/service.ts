import { help } from '../../kernel/help.ts'
import { service } from '../../kernel/service.ts'
import { identifyAlly, linkPerson } from './ally/ally.ts'
import { lookAtAllies } from './ally/probe-ally.ts'
import allyRegister from './ally-register.ts'
import batch from './batch.ts'
import brandAssets from './brand-assets.ts'
import brokenLinks from './broken-links.ts'
import dnsLookup from './dns-lookup.ts'
import domainIntel from './domain-intel.ts'
import domainReport from './domain-report.ts'
import emailAuth from './email-auth.ts'
import evmAddressIntel from './evm-address-intel.ts'
import gasTracker from './gas-tracker.ts'
import htmlTable from './html-table.ts'
import ipGeo from './ip-geo.ts'
import jsonRepair from './json-repair.ts'
import langHreflang from './lang-hreflang.ts'
import multichainBalance from './multichain-balance.ts'
import peerNetwork from './peer-network.ts'
import readability from './readability.ts'
import redirectTrace from './redirect-trace.ts'
import robotsAnalyze from './robots-analyze.ts'
import rssToJson from './rss-to-json.ts'
import securityHeaders from './security-headers.ts'
import seoAudit from './seo-audit.ts'
import siteAudit from './site-audit.ts'
import sitemapExtract from './sitemap-extract.ts'
import skills from './skills.ts'
import sourceVerify from './source-verify.ts'
import structuredData from './structured-data.ts'
import techDetect from './tech-detect.ts'
import textEntities from './text-entities.ts'
import tokenMetadata from './token-metadata.ts'
import txStatus from './tx-status.ts'
import urlMetadata from './url-metadata.ts'
import verifyEmail from './verify-email.ts'
import viesCheck from './vies-check.ts'
import walletReport from './wallet-report.ts'
import whoisRdap from './whois-rdap.ts'

export default service({
  label: 'D',
  slug: 'data',
  icon: 'M1 9h4v6H1zM6 5h4v10H6zM11 1h4v14h-4z',
  name: 'Data skills',
  description:
    'Data skills for agents: DNS and domain intelligence, web pages, content extraction. Free over A2A as "<skill-id> <value>".',
  version: '1.1.0',
  license: 'MIT',
  interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '0.3.0' }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['application/json'],
  },
  auth: ['public'],
  tools: [
    domainIntel,
    techDetect,
    verifyEmail,
    dnsLookup,
    emailAuth,
    whoisRdap,
    ipGeo,
    redirectTrace,
    securityHeaders,
    sourceVerify,
    urlMetadata,
    readability,
    htmlTable,
    structuredData,
    brokenLinks,
    langHreflang,
    seoAudit,
    brandAssets,
    rssToJson,
    robotsAnalyze,
    sitemapExtract,
    evmAddressIntel,
    tokenMetadata,
    gasTracker,
    txStatus,
    multichainBalance,
    jsonRepair,
    textEntities,
    viesCheck,
    batch,
    siteAudit,
    domainReport,
    walletReport,
    skills,
    allyRegister,
    help({ mcp: false }),
  ],
  identify: { apiKey: identifyAlly },
  link: linkPerson,
  documents: [peerNetwork],
  documentation: '/peer-network',
  jobs: [lookAtAllies],
  fallback: 'help',
})
