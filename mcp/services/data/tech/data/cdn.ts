import { any, type Fingerprints } from '../fingerprint.ts'

/** Networks that answer in the place of a site. */
export const cdn: Fingerprints = {
  Cloudflare: {
    headers: { 'cf-ray': any, 'cf-cache-status': any, server: /^cloudflare$/i },
    cookies: /^(?:__cf_bm|cf_clearance|__cflb|__cfruid)$/,
    cnames: ['cdn.cloudflare.net'],
    weak: { ns: ['ns.cloudflare.com'] },
  },
  'Amazon CloudFront': {
    headers: { 'x-amz-cf-id': any, 'x-amz-cf-pop': any, via: /\(CloudFront\)/i },
    cnames: ['cloudfront.net'],
  },
  Fastly: {
    headers: { 'x-fastly-request-id': any, 'fastly-debug-digest': any, 'x-served-by': /^cache-[a-z]{3,4}/i },
    cnames: ['fastly.net', 'fastlylb.net'],
    weak: { headers: { 'x-timer': /^S\d+\.\d+,VS\d/, via: /\bvarnish\b/i } },
  },
  Akamai: {
    headers: {
      server: /^Akamai(?:GHost|NetStorage)/i,
      'x-akamai-transformed': any,
      'akamai-grn': any,
      'x-akamai-request-id': any,
    },
    cookies: /^(?:ak_bmsc|bm_sz|bm_sv|_abck)$/,
    cnames: ['edgekey.net', 'edgesuite.net', 'akamaiedge.net', 'akamai.net', 'akamaized.net'],
  },
  'Azure Front Door': {
    headers: { 'x-azure-ref': any },
    cnames: ['azurefd.net', 't-msedge.net'],
  },
  'Azure CDN': { cnames: ['azureedge.net'], headers: { 'x-ec-custom-error': any } },
  'Google Cloud CDN': {
    weak: { headers: { via: /^1\.1 google$/i, 'x-goog-cdn': any, 'cdn-cache-id': any } },
  },
  'Bunny CDN': { headers: { server: /^BunnyCDN/i, 'cdn-pullzone': any }, cnames: ['b-cdn.net'] },
  KeyCDN: { headers: { server: /^keycdn/i, 'x-edge-location-klb': any }, cnames: ['kxcdn.com'] },
  CDN77: {
    headers: { server: /^CDN77/i, 'x-77-nzt': any, 'x-77-pop': any },
    cnames: ['cdn77.org', 'cdn77.net'],
  },
  StackPath: { headers: { 'x-hw': any }, cnames: ['stackpathdns.com', 'hwcdn.net', 'netdna-cdn.com'] },
  Imperva: {
    headers: { 'x-iinfo': any, 'x-cdn': /^(?:Incapsula|Imperva)/i },
    cookies: /^(?:incap_ses_|visid_incap_|nlbi_)/,
    cnames: ['incapdns.net', 'impervadns.net'],
  },
  Sucuri: {
    headers: { server: /^Sucuri/i, 'x-sucuri-id': any, 'x-sucuri-cache': any },
    ns: ['sucuridns.com'],
  },
  Edgio: {
    headers: { 'x-edg-version': any, server: /^ECAcc|^EdgePrism/i },
    cnames: ['llnwd.net', 'edgio.net', 'edgecastcdn.net'],
  },
  Gcore: { cnames: ['gcdn.co', 'gcorelabs.net'], headers: { 'x-id-fe': any } },
  'Alibaba Cloud CDN': {
    headers: { eagleid: /^[0-9a-f]{20,}/i, 'ali-swift-global-savetime': any },
    cnames: ['alicdn.com', 'kunlunsl.com', 'kunlunca.com', 'cdngslb.com'],
  },
  'Tencent EdgeOne': {
    headers: { 'eo-log-uuid': any, 'eo-cache-status': any },
    cnames: ['eo.dnse1.com', 'dsa.dnsv1.com'],
  },
  ArvanCloud: { headers: { server: /^ArvanCloud/i, 'ar-sid': any } },
  'QUIC.cloud': { headers: { 'x-qc-pop': any, 'x-qc-cache': any }, cnames: ['quic.cloud'] },
  'Hostinger CDN': { headers: { server: /^hcdn$/i, 'x-hcdn-request-id': any } },
  'DDoS-Guard': { headers: { server: /^ddos-guard/i }, cookies: /^__ddg\d/ },
  Reblaze: { headers: { server: /^Reblaze/i }, cookies: /^rbzid$/ },
}

/** Places that scripts and styles of many sites are loaded from. */
export const assetCdn: Fingerprints = {
  jsDelivr: { hosts: ['cdn.jsdelivr.net', 'fastly.jsdelivr.net'] },
  cdnjs: { hosts: ['cdnjs.cloudflare.com'] },
  UNPKG: { hosts: ['unpkg.com'] },
  'Google Hosted Libraries': { hosts: ['ajax.googleapis.com/ajax/libs'] },
  'jQuery CDN': { hosts: ['code.jquery.com'], implies: ['jQuery'] },
  'Bootstrap CDN': {
    hosts: ['maxcdn.bootstrapcdn.com', 'stackpath.bootstrapcdn.com', 'netdna.bootstrapcdn.com'],
  },
  'Microsoft Ajax CDN': { hosts: ['ajax.aspnetcdn.com'] },
  'esm.sh': { hosts: ['esm.sh'] },
}
