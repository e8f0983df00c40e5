import type { Setting } from '../read/settings.ts'
import { type Hit, type Rule, settingRule, wholeRule } from '../rule.ts'
import { byTable, off, on } from './settings-table.ts'
import { isLocalSetting, isThrowAway, servesOnlyPublic } from './words.ts'

const isExampleFile = (file: string): boolean =>
  /[._-](?:example|sample|template|dist)(?:\.\w+)?$/i.test(file)

/** Whether ports are published, and all of them to this machine alone. */
const isOnlyOwnPorts = (settings: readonly Setting[]): boolean => {
  const published = settings.filter(({ path }) => /(?:^|\.)ports(?:\.\d+)?$/.test(path))
  return (
    published.length > 0 &&
    published.every(({ value }) => /^(?:127\.0\.0\.1|\[?::1\]?|localhost):/.test(value))
  )
}

/** Whether what merges by itself is bound to small updates, and tests still decide. */
const mergesOnlySmall = ({ path }: Setting, settings: readonly Setting[]): boolean => {
  const parent = path.slice(0, path.lastIndexOf('.') + 1)
  const kinds = settings.filter(other => other.path === `${parent}matchupdatetypes`)
  return (
    parent !== '' &&
    kinds.length > 0 &&
    kinds.every(({ value }) => /^(?:patch|minor|pin\w*|digest|lockfilemaintenance)$/i.test(value)) &&
    !settings.some(({ key, value }) => key === 'ignoretests' && on.test(value))
  )
}

const seesKnownPassword = byTable([
  [
    /(?:passw(?:or)?d|passwd|pwd|requirepass|secret(?:_?key(?:_base)?)?|jwt_secret|api_?key|pass)$/,
    /^(?:|admin\d*|root|password\d*|passw0rd|p@ssw0rd|123\d*|changeme|change_me|default|test|guest|secret|letmein|qwerty\w*|postgres|mysql|foobared|toor|welcome\d*|minioadmin|rabbitmq|elastic|grafana|pass|user|demo|supersecret|""|'')$/i,
    'A password that everybody knows',
  ],
])

export const settingRules: readonly Rule[] = [
  settingRule({
    id: 'config-auth-off',
    category: 'configuration',
    severity: 'high',
    fix: 'Leave sign-in on, and give the one client an account.',
    hits: [
      'auth:\n  enabled: false',
      '{"requireAuth": false}',
      'PermitRootLogin yes',
      'PermitEmptyPasswords yes',
      '[security]\nauthorization = disabled',
      'xpack.security.enabled: false',
      '[auth.anonymous]\nenabled = true',
      'protected-mode no',
      'mfa_required: false',
      'allow_anonymous true',
      'host all all 0.0.0.0/0 trust',
      'PasswordAuthentication yes',
      'local all postgres trust',
      'disable_authentication=true',
      'skip-grant-tables',
      'services:\n  db:\n    command: mongod --noauth',
    ],
    misses: [
      'auth:\n  enabled: true',
      '{"requireAuth": true}',
      'PermitRootLogin no',
      'xpack.security.enabled: true',
      'protected-mode yes',
      'PasswordAuthentication no',
      'log:\n  enabled: false',
      'services:\n  db:\n    command: mongod --auth',
      'host all all 10.0.0.0/8 scram-sha-256',
    ],
    see: setting => {
      if (/^(?:local|host(?:ssl|nossl)?)$/.test(setting.key) && /\btrust$/.test(setting.value))
        return { detail: 'Everybody is let into the database without a password.', severity: 'blocker' }
      return byTable([
        [/permitemptypasswords$/, on, 'Accounts without a password may sign in', 'blocker'],
        [/permitrootlogin$/, /^yes$/i, 'Root may sign in with a password'],
        [/passwordauthentication$/, on, 'A password is enough to sign in', 'medium'],
        [/(?:^|[._])protected_mode$/, off, 'Everybody may use the store', 'blocker'],
        [
          /(?:^|[._])(?:auth(?:entication|orization)?|security|rbac|acl|iam|oauth\w*|sso|login|jwt|api_?key_auth|basic_auth)[._](?:enabled?|required?|active|enforce\w*)$/,
          off,
          'Sign-in is off',
          'blocker',
        ],
        [
          /(?:^|[._])(?:require_?(?:auth\w*|login|mfa|2fa|signature\w*|password|api_?key|approval)|(?:auth\w*|login|mfa|2fa)_?(?:required|enabled|enforced)|enable_?(?:auth\w*|rbac|mfa|acl\w*)|enforce_?(?:auth\w*|mfa|2fa|sso)|two_factor\w*|mfa|authorization|use_?auth)$/,
          off,
          'Sign-in is off',
        ],
        [
          /(?:disable|skip|bypass|no)_?(?:auth\w*|login|security|permission\w*|signature\w*|verification|2fa|mfa|rbac)$/,
          on,
          'Sign-in is off',
        ],
        [
          /anonymous(?:_access|_auth|_user\w*)?(?:[._](?:enabled?|allowed))?$|allow_anonymous(?:_\w+)?$|guest_(?:access|ok|enabled)$|public_access$/,
          on,
          'Anybody is let in',
        ],
        [/skip_grant_tables$/, /.*/, 'Everybody is let into the database', 'blocker'],
        [
          /(?:^|\.)(?:command|args|entrypoint|cmd|execstart|options|opts)$/,
          /(?:^|\s)--?(?:no-?auth\w*|skip-grant-tables|disable-(?:auth\w*|security)|anonymous-auth(?:=true)?|insecure\S*|protected-mode[= ]no|without-auth\w*|authorization-mode=AlwaysAllow|allow-privileged)(?:\s|$)/i,
          'It is started without sign-in',
        ],
        [
          /branch_protection[\w.]*(?:enabled|required)$|required_reviews$|required_approving_review_count$|enforce_admins$/,
          off,
          'Changes need no review',
        ],
      ])(setting)
    },
  }),
  settingRule({
    id: 'config-tls-off',
    category: 'configuration',
    severity: 'high',
    fix: 'Use TLS 1.2 or newer, and check certificates.',
    hits: [
      'ssl: false',
      'tls:\n  enabled: false',
      'sslmode=disable',
      'ssl_protocols SSLv3 TLSv1;',
      'verify_ssl = false',
      'insecure_skip_verify: true',
      'minTlsVersion: "1.0"',
      'strict-ssl=false',
    ],
    misses: [
      'ssl: true',
      'tls:\n  enabled: true',
      'sslmode=verify-full',
      'ssl_protocols TLSv1.2 TLSv1.3;',
      'min_tls_version = "TLS1_2"',
      'verify_ssl = true',
      'insecure_skip_verify: false',
      'port: 443',
    ],
    see: byTable([
      [
        /(?:^|[._])(?:ssl|tls|https|use_ssl|use_tls|require_ssl|require_secure_transport|ssl_enabled|tls_enabled|force_https|force_ssl|secure_ssl_redirect|encrypt(?:ion)?(?:_in_transit)?)(?:[._](?:enabled?|required))?$/,
        off,
        'Traffic is not encrypted',
      ],
      [/ssl_?mode$/, /^(?:disable|allow|prefer)$/i, 'Traffic may not be encrypted'],
      [
        /(?<!skip_)(?<!skip_tls_)(?<!skip_ssl_)(?<!insecure_)(?:verify|validate|check)_?(?:ssl|tls|cert\w*|hostname|peer)?$|ssl_?verif\w*$|strict_ssl$|tls_?verify$|reject_?unauthorized$/,
        off,
        'Certificates are not checked',
      ],
      [
        /insecure(?:_skip_(?:tls_)?verify|_tls|_ssl)?$|skip_?(?:tls_|ssl_)?verif\w*$|trust_all\w*$|accept_invalid_certs$|allow_insecure\w*$/,
        on,
        'Certificates are not checked',
      ],
      [
        /ssl_protocols?$|min\w*_?(?:tls|ssl)\w*$|(?:tls|ssl)_(?:min\w*|version)$|minimum_protocol_version$|sslprotocol$/,
        /SSLv[23]|TLSv?1(?:\.[01]|_0|_1)?(?![._\d])|^"?1\.[01]"?$|^TLS1_[01]|TLSv1_2016/i,
        'It allows old TLS',
      ],
    ]),
  }),
  settingRule({
    id: 'config-default-password',
    category: 'configuration',
    severity: 'high',
    fix: 'Make a long password of its own, and keep it in a secret store.',
    hits: [
      'admin:\n  username: admin\n  password: admin',
      'POSTGRES_PASSWORD=postgres',
      '{"password": "changeme"}',
      'root_password: ""',
      'requirepass foobared',
      'SECRET_KEY = "secret"',
      '# compose.override.yml\nservices:\n  db:\n    environment: {POSTGRES_PASSWORD: postgres}\n    ports: ["5432:5432"]',
    ],
    misses: [
      'password: ${DB_PASSWORD}',
      'password_policy: strict',
      'POSTGRES_PASSWORD_FILE=/run/secrets/pg',
      {
        type: 'patch',
        artifact: '--- a/.env.sample\n+++ b/.env.sample\n@@ -1 +1,2 @@\n+ADMIN_PASSWORD=changeme',
      },
      {
        type: 'patch',
        artifact: '--- a/config.template.yml\n+++ b/config.template.yml\n@@ -1 +1,2 @@\n+api_key: secret',
      },
      'password: "{{ vault_db_password }}"',
      '# compose.override.yml\nservices:\n  db:\n    environment: {POSTGRES_PASSWORD: postgres}\n    ports: ["127.0.0.1:5432:5432"]',
    ],
    see: (setting, artifact) =>
      // A file that shows which settings there are holds none; that of one's own machine guards nothing that others reach.
      isExampleFile(setting.place.file ?? '') ||
      (isLocalSetting(setting, artifact) && isOnlyOwnPorts(artifact.settings))
        ? undefined
        : seesKnownPassword(setting),
  }),
  settingRule({
    id: 'config-open-network',
    category: 'configuration',
    severity: 'high',
    fix: 'Name the networks and origins that need it.',
    hits: [
      'resource "aws_security_group_rule" "x" {\n  from_port = 22\n  cidr_blocks = ["0.0.0.0/0"]\n}',
      '{"Access-Control-Allow-Origin": "*"}',
      'cors:\n  allowed_origins: "*"',
      'source_ranges = ["0.0.0.0/0"]',
      'allowed_hosts: "*"',
      "listen_addresses = '*'",
      'publicly_accessible = true',
      'add_header Access-Control-Allow-Origin *;',
      'bind_ip: 0.0.0.0',
      'loadBalancerSourceRanges:\n  - 0.0.0.0/0',
      'services:\n  db:\n    ports:\n      - "0.0.0.0:27017:27017"',
      'kind: Service\nmetadata:\n  name: store\nspec:\n  type: LoadBalancer\n  ports:\n    - port: 5432',
      'kind: Service\nmetadata:\n  name: postgres\nspec:\n  type: LoadBalancer\n  ports:\n    - port: 5432',
      'management.endpoints.web.exposure.include=*',
    ],
    misses: [
      'resource "aws_security_group_rule" "x" {\n  type = "egress"\n  cidr_blocks = ["0.0.0.0/0"]\n}',
      'resource "aws_security_group" "web" {\n  ingress {\n    from_port = 443\n    to_port = 443\n    cidr_blocks = ["0.0.0.0/0"]\n  }\n}',
      'cors:\n  allowed_origins: https://app.example.org',
      'source_ranges = ["10.0.0.0/8"]',
      'publicly_accessible = false',
      'cron: "* * * * *"',
      'services:\n  db:\n    ports:\n      - "127.0.0.1:27017:27017"',
      'kind: Service\nmetadata:\n  name: web\nspec:\n  type: LoadBalancer\n  ports:\n    - port: 443',
      'route {\n  cidr_block = "0.0.0.0/0"\n  gateway_id = aws_internet_gateway.gw.id\n}',
    ],
    see: (setting, { settings, text }) => {
      const { path, key, value, place, isRemoved } = setting
      if (isRemoved) return
      if (/(?:^|\.)spec\.type$/.test(path) && /^(?:LoadBalancer|NodePort)$/.test(value)) {
        const isDatabase = settings.some(
          other =>
            (/ports?(?:\.\d+)?\.(?:port|targetport)$/.test(other.path) &&
              /^(?:3306|5432|6379|27017|9200|11211|1433|5984|9042|2379|5672|15672)$/.test(other.value)) ||
            (/metadata\.name$/.test(other.path) &&
              /postgres|mysql|mariadb|mongo|redis|elastic|etcd|cassandra|rabbit|memcache|database/i.test(
                other.value,
              )),
        )
        const isInternal = settings.some(
          other => /internal/.test(other.path) && /true|internal/i.test(other.value),
        )
        return (
          isDatabase && !isInternal && { detail: `A database is published to the network (${value})`, place }
        )
      }
      if (
        /(?:cidr\w*|source_?(?:ranges?|address\w*|ip\w*)|ip_?ranges?|authorized_?networks?[\w.]*|whitelist\w*|allow_?list\w*|allowed_?(?:ips?|cidrs?|networks?)|load_?balancer_?source_?ranges|remote_ip_prefix)$/.test(
          path,
        ) &&
        /0\.0\.0\.0\/0|::\/0|^\[?"?\*/.test(value)
      ) {
        if (/egress|route|nat|outbound/.test(path)) return
        const parent = path.slice(0, path.lastIndexOf('.') + 1)
        const near = settings.filter(
          other =>
            other.path.startsWith(parent) &&
            Math.abs((other.place.line ?? 0) - (place.line ?? 0)) <= 8 &&
            other.place.file === place.file,
        )
        if (
          near.some(
            ({ key, value }) =>
              (/^(?:type|direction)$/.test(key) && /egress|outbound/i.test(value)) ||
              (key.endsWith('gateway_id') && value !== ''),
          )
        )
          return
        const ports = near.flatMap(({ key, value }) =>
          /port|ports/.test(key) ? [value.replace(/[[\]"']/g, '')] : [],
        )
        if (ports.length > 0 && ports.every(port => /^(?:443|80|-|,|\s)+$/.test(port))) return
        const isGrave =
          ports.some(port => /^(?:22|3389|3306|5432|6379|27017|9200|2375|0|1433|11211|-1)$/.test(port)) ||
          near.some(({ key, value }) => key === 'protocol' && /^-1|all$/i.test(value))
        return { detail: `The whole internet is let in (${path})`, severity: isGrave ? 'blocker' : 'high' }
      }
      if (/(?:^|\.)ports(?:\.\d+)?$/.test(path) && /^["']?0\.0\.0\.0:\d/.test(value))
        return {
          detail: `It is published on every network (${value.slice(0, 40)})`,
          severity: /:(?:3306|5432|6379|27017|9200|2375|11211|1433|5984|9042|2379|15672)["']?$/.test(value)
            ? 'high'
            : 'medium',
        }
      if (key === 'add_header' && /Access-Control-Allow-Origin\s+["']?\*/i.test(value))
        return !servesOnlyPublic(text) && 'Every site may call it (Access-Control-Allow-Origin)'
      return byTable([
        [
          /(?:access_control_allow_origin|allow(?:ed)?_?origins?|cors_?origins?|cors\.origins?|cors\.\w*origins?|cors_allow_all\w*)(?:\.\d+)?$/,
          /^\[?["']?\*["']?\]?$|^true$/i,
          'Every site may call it',
        ],
        [/allowed_hosts$/, /^\[?["']?\*/, 'Every host name is taken', 'medium'],
        [
          /(?:publicly_accessible|public_network_access(?:_enabled)?|public_ip_enabled|enable_public_ip|allow_public_access|endpoint_public_access|allow_blob_public_access|public_read|associate_public_ip_address)$/,
          on,
          'It can be reached from the internet',
        ],
        [
          /(?:listen_addresses|bind_ip|bind_ip_all|bind)$/,
          /^(?:['"]?\*['"]?|0\.0\.0\.0|true)$/,
          'It listens to every network',
          'medium',
        ],
        [
          /(?:^|[._])(?:dashboard|admin|debug|metrics|pprof|actuator|management)[\w.]*(?:public|expos\w*|include)$|(?:^|[._])(?:h2|web|remote|debug|admin)_?\.?console\.enabled$/,
          /^(?:true|\*|"\*"|yes)$/i,
          'Its insides can be seen from outside',
        ],
      ])(setting)
    },
  }),
  settingRule({
    id: 'config-data-loss',
    category: 'configuration',
    severity: 'high',
    fix: 'Keep deletion protection, backups and versions on.',
    hits: [
      'deletion_protection = false',
      'skip_final_snapshot = true',
      'force_destroy = true',
      'backup_retention_period = 0',
      'backups:\n  enabled: false',
      'lifecycle {\n  prevent_destroy = false\n}',
      'storage_encrypted = false',
      'versioning {\n  enabled = false\n}',
      'replicas: 0',
      'fsync = off',
      'appendonly no',
      'resource "aws_dynamodb_table" "t" {\n  point_in_time_recovery { enabled = false }\n}',
      'reclaimPolicy: Delete',
    ],
    misses: [
      'deletion_protection = true',
      'skip_final_snapshot = false',
      'backup_retention_period = 14',
      'backups:\n  enabled: true',
      'storage_encrypted = true',
      'replicas: 3',
      'fsync = on',
      'settings of the throw-away CI container, on tmpfs\nfsync = off\nlisten_addresses = localhost',
    ],
    see: (setting, { text }) => {
      const hit = byTable([
        [
          /deletion_?protection(?:_enabled)?$|termination_?protection$|disable_api_termination$|prevent_destroy$/,
          off,
          'It can be deleted by mistake',
        ],
        [
          /skip_final_snapshot$|force_destroy$|delete_automated_backups$|force_delete$|delete_on_termination$|purge_on_delete$/,
          on,
          'Deleting it leaves nothing',
        ],
        [
          /backup_?(?:retention\w*)$|retention_(?:days|period\w*|in_days)$|backup_window_days$/,
          /^[01]$/,
          'Backups are kept for a day at most',
        ],
        [
          /(?<!skip)(?<!final)(?:^|[._])(?:backups?|snapshots?|versioning|point_in_time_recovery|pitr|replication|wal_archiv\w*|archive_mode)(?:_?configuration)?[._]?(?:enabled?|status|active)?$/,
          /^(?:false|no|off|disabled|suspended|none)$/i,
          'Nothing can be brought back',
        ],
        [
          /(?:storage_encrypted|encrypted|encryption(?:_at_rest)?(?:[._]enabled)?|enable_key_rotation|kms_encrypted|at_rest_encryption_enabled)$/,
          off,
          'Data lie open on the disk',
        ],
        [
          /(?:^|\.)replica(?:s|_?count)$|desired_count$|min_(?:size|replicas|instances|capacity)$/,
          /^0$/,
          'Nothing runs any more',
        ],
        [
          /(?:^|[._])(?:fsync|full_page_writes|synchronous_commit|appendonly|journal[._]enabled)$/,
          off,
          'A crash loses data',
        ],
        [
          /reclaimpolicy$|persistentvolumereclaimpolicy$/,
          /^Delete$/,
          'The volume goes with its claim',
          'medium',
        ],
      ])(setting)
      return hit?.detail.startsWith('A crash') && isThrowAway(text) ? undefined : hit
    },
  }),
  settingRule({
    id: 'config-limits-off',
    category: 'configuration',
    severity: 'medium',
    fix: 'Set a limit that normal use does not meet.',
    hits: [
      'rate_limit:\n  enabled: false',
      'max_connections: unlimited',
      'rateLimit: 0',
      'audit_log: false',
      'log_level: off',
      'session_timeout: 0',
      'max_withdrawal: -1',
      'spending_limit: null',
      'debug: true',
      'NODE_ENV=development',
      'DEBUG=true',
      'autoindex on;',
      'require_confirmation: false',
      'max_order_size: 999999999',
      'circuit_breaker:\n  enabled: false',
      'kill_switch: disabled',
      "Content-Security-Policy: default-src * 'unsafe-inline' 'unsafe-eval'",
      'kafka:\n  acks: 0',
      '{"packageRules": [{"matchUpdateTypes": ["major"], "automerge": true}]}',
      'log_level: info\nlog_request_bodies: true',
      'alerts:\n  - name: db_down\n    enabled: false',
    ],
    misses: [
      'rate_limit:\n  enabled: true\n  rps: 50',
      'max_connections: 200',
      'log_level: info',
      'session_timeout: 3600',
      'debug: false',
      'NODE_ENV=production',
      'timeout: 30',
      'limit: 100',
      '{"automerge": false, "packageRules": [{"matchUpdateTypes": ["patch"], "automerge": true}]}',
    ],
    see: (setting, artifact) => {
      const isMoney =
        /withdraw|spend|order|position|leverage|loss|drawdown|transfer|payout|budget|kill_switch|circuit/.test(
          setting.path,
        )
      if (/(?:^|\.)automerge$/.test(setting.path) && mergesOnlySmall(setting, artifact.settings)) return
      const hit = byTable([
        [
          /(?:rate_?limit\w*|throttl\w*|quota\w*|limiter|circuit_?breaker\w*|kill_?switch|firewall|waf|ids|fail2ban|antivirus|malware_scan\w*|content_security_policy|csrf\w*|xss_\w+|captcha\w*|input_validation|sanitiz\w*|spending_?limit|max_(?:drawdown|loss\w*)|stop_?loss\w*)(?:[._](?:enabled?|active|status))?$/,
          /^(?:false|no|off|0|disabled?|none|null|-1|unlimited|~)$/i,
          'A limit or protection is off',
          'high',
        ],
        [
          /(?:^|[._])(?:max|limit|cap)[\w.]*(?:withdraw\w*|transfer\w*|spend\w*|order\w*|position\w*|leverage|loss\w*|drawdown|payout\w*|amount\w*|connections?|requests?|attempts?|size|retries|upload\w*)?$|(?:_limit|_max|_cap)$/,
          /^(?:-1|unlimited|infinity|inf|none|null|9{6,}\d*)$/i,
          'There is no limit',
        ],
        [
          /audit(?:_?log(?:s|ging)?|ing)?(?:[._]enabled?)?$|(?:access_|flow_)?log(?:s|ging)(?:[._]enabled?)?$|cloudtrail\w*$|enable_log\w*$|log_level$|monitoring(?:[._]enabled?)?$|alert(?:s|ing)?(?:[._]enabled?)?$/,
          /^(?:false|no|off|none|disabled|0)$/i,
          'Nobody will see what happens',
        ],
        [
          /log_?(?:request_?|response_?)?(?:bod(?:y|ies)|payloads?|headers?|cookies?|passwords?|secrets?|tokens?|credentials?)(?:[._]enabled?)?(?:[._]\d+)?$/,
          /^(?:true|on|yes|1|all|\*|authorization|cookie|x-api-key|set-cookie)$/i,
          'Secrets of callers are written to the log',
        ],
        [
          /(?:^|[._])alert(?:s|ing|_rules)?[._]\d+[._]enabled$|(?:^|[._])(?:alarms?|monitors?|notifications?)[._](?:\w+[._])?enabled$/,
          off,
          'Nobody will see what happens',
        ],
        [
          /session_?(?:timeout|ttl|expiry|max_age)$|token_?(?:expiry|ttl|lifetime|expires_in)$|jwt_exp\w*$/,
          /^(?:0|-1|never|none|9{5,}\d*|\d{8,})$/i,
          'Sessions never end',
        ],
        [
          /(?:^|[._])(?:debug|debug_mode|app_debug|flask_debug|enable_debug)(?:[._]enabled)?$/,
          on,
          'It shows its insides',
        ],
        [
          /^(?:node_env|app_env|rails_env|flask_env|environment)$/,
          /^(?:dev(?:elopment)?|debug)$/i,
          'It runs as in development',
        ],
        [
          /autoindex$|directory_?listing$|server_signature$|expose_php$|display_errors$/,
          on,
          'It shows its insides',
        ],
        [
          /(?:require|needs?)_?(?:confirm\w*|approval|review|human\w*|2_?approvers?)$|human_in_the_loop$|manual_approval$|dry_run_first$|sandbox(?:[._]enabled|_mode)?$/,
          off,
          'Nobody is asked any more',
          'high',
        ],
        [
          /auto_?(?:approve|merge|confirm|execute|pay|sign|transfer)\w*(?:[._]enabled)?$|(?:allow|enable)_?(?:force_push\w*|deletions?|unsafe\w*|all_commands|arbitrary\w*)$|dangerously\w*$|yolo(?:_mode)?$/,
          on,
          'Nobody is asked any more',
          'high',
        ],
        [
          /password_?(?:min_?length|minimum_length)$|min_?password_?length$/,
          /^[0-7]$/,
          'Short passwords are allowed',
        ],
        [
          /content-?_?security-?_?policy$/,
          /(?:default|script)-src[^;]*(?:\s\*(?=\s|;|$)|'unsafe-eval')/i,
          'Any script may run in the page',
        ],
        [/(?:^|[._])acks$/, /^(?:0|none)$/, 'Messages may be lost unseen'],
        [/unclean[._]leader[._]election[._]enable$/, on, 'Messages may be lost unseen'],
        [/(?:image)$/, /^[\w./-]+:latest$/, 'The image may be any version', 'medium'],
      ])(setting)
      if (isLocalSetting(setting, artifact) && /insides|development/.test(hit?.detail ?? '')) return
      return hit && isMoney ? { ...hit, severity: 'high' } : hit
    },
  }),
  wholeRule({
    id: 'terraform-plan',
    category: 'configuration',
    type: 'config_change',
    severity: 'high',
    fix: 'Move what holds data out of the change, or make the change in place.',
    hits: [
      '{"resource_changes":[{"address":"aws_db_instance.main","type":"aws_db_instance","change":{"actions":["delete","create"]}}]}',
      '# aws_s3_bucket.logs will be destroyed\nPlan: 0 to add, 0 to change, 1 to destroy.',
      '  # google_sql_database_instance.db must be replaced\nPlan: 1 to add, 0 to change, 1 to destroy.',
    ],
    misses: [
      '{"resource_changes":[{"address":"aws_instance.a","type":"aws_instance","change":{"actions":["create"]}}]}',
      'Plan: 2 to add, 1 to change, 0 to destroy.',
      '{"resource_changes":[{"address":"a.b","type":"a","change":{"actions":["no-op"]}}]}',
    ],
    see({ record, text }) {
      const holdsData =
        /db|rds|sql|bucket|disk|volume|ebs|efs|dynamo|table|redis|elasticache|kms|key|database|storage|namespace|cluster|snapshot|vault|secret|domain|zone/i
      const changes = Array.isArray(record.resource_changes) ? record.resource_changes : []
      const fromJson = changes.flatMap((change): Hit[] => {
        const { address = '', change: { actions = [] } = {} } = (change ?? {}) as {
          address?: string
          change?: { actions?: unknown[] }
        }
        return actions.includes('delete')
          ? [
              {
                detail: `${address} will be ${actions.includes('create') ? 'replaced' : 'destroyed'}.`,
                severity: holdsData.test(address) ? 'blocker' : 'high',
                place: { path: address.toLowerCase() },
              },
            ]
          : []
      })
      const fromText = [
        ...text.matchAll(/^[ \t]{0,8}#[ \t]([\w.[\]"-]{3,120}) (?:will be (destroyed)|must be (replaced))/gm),
      ].map(
        ([, address = '', , replaced]): Hit => ({
          detail: `${address} will be ${replaced ?? 'destroyed'}.`,
          severity: holdsData.test(address) ? 'blocker' : 'high',
        }),
      )
      const counted = /\b([1-9]\d*) to destroy\b/.exec(text)
      const all = [...fromJson, ...fromText]
      return all.length > 0 ? all : counted ? [{ detail: `${counted[1]} resources will be destroyed.` }] : []
    },
  }),
]
