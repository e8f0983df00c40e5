import { any, type Fingerprints } from '../fingerprint.ts'

/** Places that a site runs at. */
export const hosting: Fingerprints = {
  Vercel: {
    headers: { 'x-vercel-id': any, 'x-vercel-cache': any, server: /^Vercel$/i },
    cnames: ['vercel-dns.com', 'vercel.app', 'now.sh'],
    addresses: ['76.76.21.21'],
  },
  Netlify: {
    headers: { 'x-nf-request-id': any, server: /^Netlify$/i },
    cnames: ['netlify.app', 'netlify.com', 'netlifyglobalcdn.com'],
    addresses: ['75.2.60.5', '99.83.231.61'],
    weak: { ns: ['nsone.net'] },
  },
  'GitHub Pages': {
    headers: { server: /^GitHub\.com$/i, 'x-github-request-id': any },
    cnames: ['github.io'],
    addresses: ['185.199.108.153', '185.199.109.153', '185.199.110.153', '185.199.111.153'],
  },
  'GitLab Pages': { cnames: ['gitlab.io'], addresses: ['35.185.44.232'] },
  'Cloudflare Pages': { cnames: ['pages.dev'], implies: ['Cloudflare'] },
  Heroku: {
    headers: { via: /\b(?:vegur|heroku-router)\b/i, nel: /heroku/i },
    cookies: /^heroku-session-affinity$/,
    cnames: ['herokudns.com', 'herokuapp.com', 'herokussl.com'],
  },
  Render: {
    headers: { 'x-render-origin-server': any, 'rndr-id': any },
    cnames: ['onrender.com'],
    addresses: ['216.24.57.1'],
  },
  'Fly.io': { headers: { 'fly-request-id': any, server: /^Fly\//i }, cnames: ['fly.dev', 'flyio.net'] },
  Railway: {
    headers: { 'x-railway-request-id': any, 'x-railway-edge': any, server: /^railway/i },
    cnames: ['up.railway.app'],
  },
  'Firebase Hosting': {
    cnames: ['web.app', 'firebaseapp.com'],
    addresses: ['199.36.158.100'],
    paths: /^\/__\/firebase\//,
    implies: ['Google Cloud'],
  },
  'Google Cloud': {
    headers: { 'x-cloud-trace-context': any },
    cnames: ['ghs.googlehosted.com'],
    weak: { headers: { via: /^1\.1 google$/i } },
  },
  'Google App Engine': {
    cnames: ['appspot.com'],
    headers: { 'x-appengine-resource-usage': any },
    implies: ['Google Cloud'],
  },
  'Google Cloud Run': { cnames: ['run.app'], implies: ['Google Cloud'] },
  'Google Cloud Storage': {
    headers: { 'x-goog-storage-class': any, 'x-guploader-uploadid': any },
    implies: ['Google Cloud'],
  },
  'Amazon Web Services': {
    headers: { 'x-amzn-requestid': any, 'x-amzn-trace-id': any, server: /^awselb/i },
    cookies: /^AWS(?:ALB|ELB)(?:CORS|TG|TGCORS)?$/,
    cnames: ['elb.amazonaws.com', 'amazonaws.com', 'awsglobalaccelerator.com'],
  },
  'Amazon S3': { headers: { server: /^AmazonS3$/i, 'x-amz-id-2': any }, implies: ['Amazon Web Services'] },
  'AWS Amplify': { cnames: ['amplifyapp.com'], implies: ['Amazon Web Services'] },
  'AWS API Gateway': {
    headers: { 'x-amz-apigw-id': any },
    cnames: ['execute-api.amazonaws.com'],
    implies: ['Amazon Web Services'],
  },
  'AWS Elastic Beanstalk': { cnames: ['elasticbeanstalk.com'], implies: ['Amazon Web Services'] },
  Azure: {
    headers: { 'x-ms-request-id': any },
    cookies: /^ARRAffinity(?:SameSite)?$/,
    cnames: ['azurewebsites.net', 'cloudapp.azure.com', 'cloudapp.net', 'trafficmanager.net'],
  },
  'Azure Static Web Apps': { cnames: ['azurestaticapps.net'], implies: ['Azure'] },
  'WP Engine': {
    headers: { 'x-powered-by': /^WP Engine/i, 'wpe-backend': any },
    cnames: ['wpengine.com', 'wpenginepowered.com'],
  },
  Kinsta: {
    headers: { 'x-kinsta-cache': any, 'ki-edge': any, 'ki-cache-type': any },
    cnames: ['kinsta.cloud', 'kinsta.page'],
  },
  Pantheon: {
    headers: { 'x-pantheon-styx-hostname': any, 'x-styx-req-id': any },
    cnames: ['pantheonsite.io'],
  },
  'Platform.sh': {
    headers: { 'x-platform-cluster': any, 'x-platform-router': any },
    cnames: ['platform.sh', 'platformsh.site'],
  },
  Acquia: { headers: { 'x-ah-environment': any }, cnames: ['acquia-sites.com'] },
  Flywheel: { headers: { 'x-fw-hash': any, server: /^Flywheel/i } },
  'WordPress.com': {
    headers: { 'host-header': /^WordPress\.com$/i },
    cnames: ['wordpress.com'],
    ns: ['wordpress.com'],
  },
  'WordPress VIP': {
    headers: { 'x-powered-by': /WordPress(?:\.com)? VIP/i },
    cnames: ['go-vip.net', 'go-vip.co'],
  },
  SiteGround: { headers: { 'sg-f-cache': any } },
  Hostinger: { headers: { platform: /^hostinger/i, panel: /^hpanel/i } },
  GoDaddy: { headers: { server: /^DPS\//i }, cnames: ['godaddysites.com'] },
  OVHcloud: {
    headers: { 'x-iplb-instance': any, 'x-iplb-request-id': any },
    cnames: ['cluster.ovh.net', 'hosting.ovh.net'],
  },
  IONOS: {
    cnames: ['ui-r.com', 'kundenserver.de'],
    weak: { ns: ['ui-dns.com', 'ui-dns.de', 'ui-dns.org', 'ui-dns.biz'] },
  },
  Infomaniak: { cnames: ['infomaniak.ch'], weak: { ns: ['infomaniak.ch', 'infomaniak.com'] } },
  DigitalOcean: {
    headers: { 'x-do-app-origin': any, 'x-do-orig-status': any },
    cnames: ['ondigitalocean.app'],
    weak: { ns: ['digitalocean.com'] },
  },
  'Deno Deploy': { cnames: ['deno.dev'], headers: { server: /^deno\/gcp/i } },
  Replit: { headers: { 'replit-cluster': any }, cnames: ['replit.app', 'repl.co'] },
  PythonAnywhere: {
    headers: { server: /^PythonAnywhere$/i },
    cnames: ['pythonanywhere.com'],
    implies: ['Python'],
  },
  Surge: { cnames: ['surge.sh'] },
  'Read the Docs': { headers: { 'x-rtd-project': any, 'x-rtd-domain': any }, cnames: ['readthedocs.io'] },
  'Plesk panel': { headers: { 'x-powered-by': /\bPlesk(?:Lin|Win)\b/i } },
}
