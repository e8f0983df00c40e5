import type { Line } from '../read/lines.ts'
import { type Hit, lineRule, type Rule, settingRule } from '../rule.ts'
import { byTable, off, on } from './settings-table.ts'

const everybody = /^(?:any|all|\*|everyone|0\.0\.0\.0\/0|\{\s?any;?\s?\}?;?)/i

/** Whether a statement lets everybody do everything to everything, or all but something. */
const seesOpenPolicy = (inline: string): string | undefined => {
  if (!/\bEffect\W{1,6}Allow\b/i.test(inline) || /\bEffect\W{1,6}Deny\b/i.test(inline)) return undefined
  if (!/\bResources?\W{1,8}\*["'\s\]]/i.test(inline)) return undefined
  if (/\bNotActions?\W/i.test(inline)) return 'All actions but some are allowed'
  return /["'](?:s3|ec2|kms|dynamodb|rds|lambda|secretsmanager|organizations|sts):\*["']/i.test(inline)
    ? 'All actions of a service are allowed on everything'
    : undefined
}

/** Rows of the form that only such a file has, wherever they stand. */
const isNewRow = ({ change, isComment }: Line): boolean => change !== 'removed' && !isComment

/** What gives a shell, or any file, to who may run it as root. */
const shellGiver =
  /^\s{0,8}[%\w.@-]{1,60}\s{1,8}\w{1,60}\s?=.{0,80}NOPASSWD:[^\n]{0,200}?\/(?:ba|z|da|k|c)?(?:sh|vim?|nano|less|more|find|python[\d.]*|perl|ruby|node|docker|tar|awk|env|su|tee|cp|mv|chmod|chown|dd|rsync|nmap|apt|apt-get|pip3?|npm|systemctl)\s*(?:$|,|\*)|^\s{0,8}[%\w.@-]{1,60}\s{1,8}\w{1,60}\s?=.{0,80}NOPASSWD:[^\n]{0,200}?\/\*/

const seesDirective = byTable([
  [
    /(?:^|[._])pod_security\.kubernetes\.io\/enforce$/,
    /^privileged$/i,
    'Containers may have the rights of the machine',
  ],
  [/(?:^|[._])r[wo]_?community6?$/, /^["']?(?:public|private)\b/i, 'A password that everybody knows'],
  [
    /(?:^|[._])smtpd?_(?:relay|recipient|client|sender)_restrictions$/,
    /^permit$/i,
    'Everybody may send mail through it',
  ],
  [
    /(?:^|[._])hosts(?:\.\d+)?$/,
    /^tcp:\/\/(?:0\.0\.0\.0|\[?::\]?)?:\d/,
    'Everybody may start containers on the machine',
    'blocker',
  ],
  [
    /(?:^|[._])insecure_registr(?:y|ies)(?:\.\d+)?$/,
    /^(?!localhost|127\.|\[::1\])[\w.-]+/,
    'Images come from a place that nobody checks',
  ],
  [
    /(?:^|[._])subjects\.\d+\.name$/,
    /^system:(?:(?:un)?authenticated|anonymous)$/,
    'Everybody who reaches the cluster has the right',
  ],
  [/(?:^|[._])capabilities$/, /["']sudo["']|^sudo$/, 'It may do what only root may'],
  [
    /(?:^|[._])(?:guest_ok|public|map_to_guest)$/,
    /^(?:yes|true|bad user)$/i,
    'Everybody is let in',
    'medium',
  ],
  [/(?:^|[._])allow_url_include$/, on, 'It runs code from other machines'],
  [/(?:^|[._])local_infile$/, on, 'A client may have files read', 'medium'],
  [/(?:^|[._])host_auth_method$/, /^trust$/i, 'Everybody is let in without a password'],
  [/allow_empty_(?:root_)?password$/, on, 'Everybody is let in without a password'],
  [/(?:^|[._])http_access$/, /^allow\s+all$/i, 'Everybody may use the proxy'],
  [
    /(?:^|[._])allow_(?:recursion|transfer|update)$/,
    everybody,
    'Everybody may ask it for all that it knows',
    'medium',
  ],
  [/(?:^|[._])randomize_va_space$/, /^0$/, 'The kernel is weakened'],
  [
    /(?:^|[._])(?:rp_filter|kptr_restrict|ptrace_scope|dmesg_restrict|tcp_syncookies|protected_(?:symlinks|hardlinks))$/,
    /^0$/,
    'The kernel is weakened',
    'medium',
  ],
  [/(?:^|[._])mtls[._]mode$/, /^(?:disable|permissive|unset)$/i, 'Services talk without encryption'],
  [
    /(?:^|[._])(?:tls|ssl|https)_?disabled?$|(?:disable|skip)_?(?:tls|ssl|https)$/,
    on,
    'Traffic is not encrypted',
  ],
  [
    /(?:jwt|token|signing|signature|jws|webhook)[\w.]{0,40}alg(?:orithm)?s?$/,
    /^(?:none|hs1|md5|sha1|plain)$/i,
    'Tokens can be forged',
    'blocker',
  ],
  [
    /(?:^|[._])(?:redirect|callback|return)_?ur[il]s?$/,
    /^\*$|^https?:\/\/\*(?:$|\/)/,
    'Who signs in can be sent anywhere',
  ],
  [
    /(?:^|[._])(?:(?:extra_)?index_url|registry|npm_config_registry|goproxy)$/,
    /^http:\/\/(?!localhost|127\.|\[::1\])/i,
    'Packages come without TLS',
  ],
  [
    /(?:^|[._])trusted_host$/,
    /^(?!localhost|127\.)./,
    'It does not check where packages come from',
    'medium',
  ],
  [/(?:^|[._])(?:repo_)?gpg_?check$|(?:^|[._])gosumdb$/, off, 'Nobody checks who made the packages'],
  [/(?:^|[._])(?:verify|validate)_?(?:signature|checksum|webhook)s?$/, off, 'Nobody checks who sent it'],
])

/** Directives of servers, kernels and clouds that open them. */
export const serviceRules: readonly Rule[] = [
  settingRule({
    id: 'config-service-open',
    category: 'configuration',
    severity: 'high',
    fix: 'Name who may use it, and leave what protects it on.',
    hits: [
      '[patients]\nguest ok = yes',
      'allow_url_include = On',
      '[mysqld]\nlocal_infile = 1',
      'http_access allow all',
      'options {\n  allow-transfer { any; };\n}',
      'kernel.randomize_va_space = 0',
      'kind: PeerAuthentication\nspec:\n  mtls:\n    mode: DISABLE',
      'listener "tcp" {\n  tls_disable = 1\n}',
      'spring.jpa.hibernate.ddl-auto=create-drop\nspring.datasource.url=jdbc:postgresql://db.example.com/orders',
      '{"Statement":[{"Effect":"Allow","NotAction":"iam:DeleteUser","Resource":"*"}]}',
      '{"Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}',
      'policy = jsonencode({ Statement = [{ Effect = "Allow", Action = ["s3:*"], Resource = "*" }] })',
      '{"Effect":"Allow","Action":"sts:AssumeRoleWithWebIdentity","Condition":{"StringLike":{"token.actions.githubusercontent.com:sub":"repo:*"}}}',
      'environment: {POSTGRES_HOST_AUTH_METHOD: trust}',
      'MYSQL_ALLOW_EMPTY_PASSWORD=yes',
      'jwt:\n  algorithm: none',
      'docker daemon.json\n{"hosts": ["tcp://0.0.0.0:2375"]}',
      'kind: RoleBinding\nsubjects: [{kind: Group, name: "system:authenticated"}]',
      'path "secret/*" {\n  capabilities = ["read", "sudo"]\n}',
      'oauth:\n  redirect_uris: ["*"]',
      '[global]\nindex-url = http://pypi.example.net/simple',
      '[base]\ngpgcheck=0',
    ],
    misses: [
      '[patients]\nguest ok = no',
      'allow_url_include = Off',
      '[mysqld]\nlocal_infile = 0',
      'http_access allow localnet\nhttp_access deny all',
      'options {\n  allow-transfer { none; };\n}',
      'kernel.randomize_va_space = 2',
      'jwt:\n  algorithm: RS256',
      'daemon.json\n{"hosts": ["unix:///var/run/docker.sock"]}',
      'kind: RoleBinding\nsubjects: [{kind: Group, name: "ops"}]',
      'path "secret/*" {\n  capabilities = ["read", "list"]\n}',
      'oauth:\n  redirect_uris: ["https://app.example.org/cb"]',
      '[global]\nindex-url = https://pypi.example.net/simple',
      '[global]\nindex-url = http://localhost:3141/simple',
      '[base]\ngpgcheck=1',
      'kind: PeerAuthentication\nspec:\n  mtls:\n    mode: STRICT',
      'listener "tcp" {\n  tls_disable = 0\n}',
      'spring.jpa.hibernate.ddl-auto=validate',
      'spring.jpa.hibernate.ddl-auto=create-drop\nspring.datasource.url=jdbc:h2:mem:test',
      '{"Statement":[{"Effect":"Deny","NotAction":"iam:DeleteUser","Resource":"*"}]}',
      '{"Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"arn:aws:s3:::mine/*"}]}',
      '{"Effect":"Allow","Action":"sts:AssumeRoleWithWebIdentity","Condition":{"StringLike":{"token.actions.githubusercontent.com:sub":"repo:acme/app:*"}}}',
    ],
    see: (setting, { settings, text }) => {
      const { path, value, isRemoved } = setting
      if (isRemoved) return undefined
      const [, parent, key] = /^((?:.{0,400}\.)?)(not_?action|action)$/.exec(path) ?? []
      if (key !== undefined) {
        const near = settings.filter(other => other.path.startsWith(parent ?? ''))
        const has = (name: string, form: RegExp) =>
          near.some(other => other.path === `${parent}${name}` && form.test(other.value))
        if (!has('effect', /^allow$/i) || !has('resource', /^\*$/) || has('condition', /./)) return undefined
        if (key !== 'action') return 'All actions but some are allowed'
        return /^(?:s3|ec2|kms|dynamodb|rds|lambda|secretsmanager|organizations|sts):\*$/i.test(value)
          ? `All actions of a service are allowed on everything (${value})`
          : undefined
      }
      const inline = value.length > 20 ? seesOpenPolicy(value.slice(0, 2000)) : undefined
      if (inline) return inline
      if (/condition\.\w+\..{0,80}:sub$/.test(path))
        return /^(?:repo:)?\*/.test(value) && `Whoever has an account there may take the role (${value})`
      if (/(?:^|[._])(?:ddl_auto|hbm2ddl[._]auto)$/.test(path))
        return (
          /^(?:create|create-drop|create-only|drop)$/i.test(value) &&
          !/jdbc:(?:h2|hsqldb|derby|sqlite|tc):|localhost|127\.0\.0\.1/.test(text.slice(0, 20_000)) &&
          'Each start drops the tables'
        )
      return seesDirective(setting)
    },
  }),
  lineRule({
    id: 'config-sudo-shell',
    category: 'configuration',
    severity: 'blocker',
    fix: 'Name the one command with its words.',
    type: 'config_change',
    hits: [
      'deploy ALL=(root) NOPASSWD: /bin/bash',
      'app ALL=(ALL) NOPASSWD: /usr/bin/systemctl *',
      '%ops ALL=NOPASSWD: /usr/bin/vim, /usr/bin/id',
      'app ALL=(root) NOPASSWD: /opt/app/bin/*',
    ],
    misses: [
      'deploy ALL=(root) NOPASSWD: /usr/bin/systemctl restart api',
      '# app ALL=(root) NOPASSWD: /bin/sh',
      'app ALL=(root) /bin/bash',
    ],
    where: isNewRow,
    see: ({ text }) => shellGiver.test(text.slice(0, 600)) && 'Who may run it may do everything as root.',
  }),
  lineRule({
    id: 'config-export-open',
    category: 'configuration',
    severity: 'high',
    fix: 'Name the machines, and leave root_squash on.',
    type: 'config_change',
    hits: [
      '/srv/finance *(rw,no_root_squash)',
      '/srv/a 192.0.2.0/24(rw,no_root_squash,sync)',
      '/srv/b 0.0.0.0/0(rw)',
    ],
    misses: [
      '/srv/finance 192.0.2.7(ro,root_squash)',
      '/srv/pub *(ro,all_squash)',
      '# /srv/finance *(rw,no_root_squash)',
    ],
    where: isNewRow,
    see: ({ text }): Hit | undefined => {
      const [, host = '', options = ''] =
        /^\s{0,8}\/[\w./-]{1,200}\s{1,20}(\S{1,100})\(([\w,=:-]{1,200})\)/.exec(text) ?? []
      if (/\bno_root_squash\b/.test(options))
        return { detail: `Root of another machine is root here (${host}).` }
      return /^(?:\*|0\.0\.0\.0\/0)$/.test(host) && /(?:^|,)rw(?:,|$)/.test(options)
        ? { detail: `Every machine may write it (${host}).` }
        : undefined
    },
  }),
]
