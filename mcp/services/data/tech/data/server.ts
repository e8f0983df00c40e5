import { any, type Fingerprints } from '../fingerprint.ts'

/** Programs that answer HTTP, as they name themselves. */
export const server: Fingerprints = {
  nginx: { headers: { server: /^nginx(?:\/([\d.]+))?/i, 'x-nginx-cache': any } },
  OpenResty: { headers: { server: /^openresty(?:\/([\d.]+))?/i }, implies: ['nginx', 'Lua'] },
  Tengine: { headers: { server: /^Tengine(?:\/([\d.]+))?/i }, implies: ['nginx'] },
  Angie: { headers: { server: /^Angie(?:\/([\d.]+))?/i } },
  'Apache HTTP Server': { headers: { server: /^Apache(?:\/([\d.]+))?(?:$|\s|\()/i } },
  'Apache Tomcat': {
    headers: {
      server: /^Apache[- ](?:Coyote|Tomcat)(?:\/([\d.]+))?/i,
      'x-powered-by': /\bTomcat\b(?:[-/]([\d.]+))?/i,
    },
    implies: ['Java'],
  },
  'Apache Traffic Server': {
    headers: { server: /^ATS(?:\/([\d.]+))?$/i, via: /ApacheTrafficServer(?:\/([\d.]+))?/i },
  },
  'Microsoft IIS': { headers: { server: /^Microsoft-IIS(?:\/([\d.]+))?/i }, implies: ['Windows Server'] },
  'Microsoft HTTPAPI': {
    headers: { server: /^Microsoft-HTTPAPI(?:\/([\d.]+))?/i },
    implies: ['Windows Server'],
  },
  Kestrel: { headers: { server: /^Kestrel/i }, implies: ['ASP.NET Core'] },
  LiteSpeed: { headers: { server: /^LiteSpeed/i, 'x-litespeed-cache': any, 'x-litespeed-tag': any } },
  Caddy: { headers: { server: /^Caddy/i, via: /\bCaddy\b/i } },
  Envoy: { headers: { server: /^(?:istio-)?envoy/i, 'x-envoy-upstream-service-time': any } },
  Traefik: { headers: { server: /^traefik/i } },
  HAProxy: { headers: { server: /^HAProxy/i }, weak: { cookies: /^SERVERID$/ } },
  Varnish: {
    headers: { 'x-varnish': any, server: /^Varnish/i },
    weak: { headers: { via: /\bvarnish\b(?: \(Varnish\/([\d.]+)\))?/i } },
  },
  Squid: { headers: { server: /^squid(?:\/([\d.]+))?/i, via: /\(squid(?:\/([\d.]+))?\)/i } },
  lighttpd: { headers: { server: /^lighttpd(?:\/([\d.]+))?/i } },
  Jetty: { headers: { server: /^Jetty(?:\(([\d.]+)[^)]*\))?/i }, implies: ['Java'] },
  Gunicorn: { headers: { server: /^gunicorn(?:\/([\d.]+))?/i }, implies: ['Python'] },
  Uvicorn: { headers: { server: /^uvicorn/i }, implies: ['Python'] },
  Hypercorn: { headers: { server: /^hypercorn/i }, implies: ['Python'] },
  Daphne: { headers: { server: /^daphne/i }, implies: ['Python'] },
  Waitress: { headers: { server: /^waitress/i }, implies: ['Python'] },
  Werkzeug: { headers: { server: /^Werkzeug(?:\/([\d.]+))?/i }, implies: ['Python'] },
  Tornado: { headers: { server: /^TornadoServer(?:\/([\d.]+))?/i }, implies: ['Python'] },
  Zope: { headers: { server: /^Zope\b/i }, implies: ['Python'] },
  'Phusion Passenger': {
    headers: {
      'x-powered-by': /Phusion Passenger(?:\(R\))? ?([\d.]+)?/i,
      server: /Phusion Passenger(?:\(R\))? ?([\d.]+)?/i,
    },
  },
  Puma: { headers: { server: /^puma\b(?: ([\d.]+))?/i }, implies: ['Ruby'] },
  WEBrick: { headers: { server: /^WEBrick(?:\/([\d.]+))?/i }, implies: ['Ruby'] },
  Cowboy: { headers: { server: /^Cowboy/i }, implies: ['Erlang'] },
  H2O: { headers: { server: /^h2o(?:\/([\d.]+))?/i } },
  'Google Web Server': { headers: { server: /^gws$/i } },
  'Google Frontend': { headers: { server: /^Google Frontend$/i } },
  GlassFish: { headers: { server: /^GlassFish Server[^\d]*([\d.]+)?/i }, implies: ['Java'] },
  WildFly: { headers: { server: /^(?:WildFly|JBoss-EAP)(?:\/([\d.]+))?/i }, implies: ['Java'] },
  'Oracle HTTP Server': { headers: { server: /^Oracle-(?:HTTP-Server|Application-Server)/i } },
  'IBM HTTP Server': { headers: { server: /^IBM_HTTP_Server(?:\/([\d.]+))?/i } },
  RoadRunner: { headers: { server: /^RoadRunner/i }, implies: ['PHP'] },
  FrankenPHP: {
    headers: { 'x-powered-by': /^FrankenPHP/i, server: /FrankenPHP/i },
    implies: ['PHP', 'Caddy'],
  },
  'BIG-IP': { headers: { server: /^BigIP/i }, cookies: /^BIGipServer/ },
  Cherokee: { headers: { server: /^Cherokee(?:\/([\d.]+))?/i } },
}

/** Operating systems that servers name. */
export const os: Fingerprints = {
  Ubuntu: { headers: { server: /\bUbuntu\b/i, 'x-powered-by': /ubuntu/i } },
  Debian: { headers: { server: /\bDebian\b/i, 'x-powered-by': /[+~]deb\d/i } },
  CentOS: { headers: { server: /\bCentOS\b/i } },
  'Red Hat': { headers: { server: /\bRed ?Hat\b/i } },
  'Windows Server': { headers: { server: /\bWin(?:32|64)\b/i } },
  FreeBSD: { headers: { server: /\bFreeBSD\b(?: ([\d.]+))?/i } },
}

/** Languages and runtimes. Most are known by what is written in them. */
export const language: Fingerprints = {
  PHP: {
    headers: {
      'x-powered-by': /\bPHP(?:\/([\d.]+))?/i,
      server: /\bPHP(?:\/([\d.]+))?/i,
      'x-php-version': /^([\d.]+)/,
    },
    cookies: /^PHPSESSID$/,
    weak: { paths: /\.php$/ },
  },
  Python: { headers: { server: /\b(?:Python|wsgiref|SimpleHTTP)\b(?:\/([\d.]+))?/i } },
  Ruby: { headers: { server: /\bRuby(?:\/([\d.]+))?/i } },
  Java: {
    headers: { 'x-powered-by': /\b(?:Servlet|JSP|JSF|Java)\b/i },
    cookies: /^JSESSIONID$/,
    weak: { paths: /\.(?:jsp|jsf|do|action)$/ },
  },
  'Node.js': { headers: { 'x-powered-by': /^node(?:\.js)?(?:\/([\d.]+))?/i } },
  Deno: { headers: { server: /^deno\b(?:\/([\d.]+))?/i } },
  Perl: { headers: { server: /\b(?:mod_perl|Perl)\b(?:\/v?([\d.]+))?/i }, weak: { paths: /\.(?:pl|cgi)$/ } },
  Lua: { headers: { 'x-powered-by': /\bLua\b/i } },
  Erlang: { headers: { server: /\bErlang(?: OTP)?(?:\/([\w.]+))?/i } },
  Elixir: {},
  Scala: {},
  Go: { headers: { 'x-powered-by': /^Go\b/ } },
  'C#': {},
  ColdFusion: { cookies: /^(?:CFID|CFTOKEN)$/, weak: { paths: /\.cf[mc]$/ } },
}
