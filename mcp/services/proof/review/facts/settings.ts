import { asList, parseRecord } from '../../../../lib/json.ts'
import type { ArtifactSetting } from '../read/settings.ts'
import { actFact, type Detector, type Fact, settingFact, wide } from './fact.ts'
import { byTable, on } from './settings-table.ts'
import { isLocalSetting, isPublicPath } from './words.ts'

const isExampleFile = (file: string): boolean =>
  /[._-](?:example|sample|template|dist)(?:\.\w+)?$/i.test(file)

/** True when ports are published, and all of them to this machine alone. */
const isOnlyOwnPorts = (settings: readonly ArtifactSetting[]): boolean => {
  const published = settings.filter(({ path }) => /(?:^|\.)ports(?:\.\d+)?$/.test(path))
  return (
    published.length > 0 &&
    published.every(({ value }) => /^(?:127\.0\.0\.1|\[?::1\]?|localhost):/.test(value))
  )
}

/** True when what merges by itself is bound to small updates, and tests still decide. */
const mergesOnlySmall = ({ path }: ArtifactSetting, settings: readonly ArtifactSetting[]): boolean => {
  const parent = path.slice(0, path.lastIndexOf('.') + 1)
  const kinds = settings.filter(other => other.path === `${parent}matchupdatetypes`)
  return (
    parent !== '' &&
    kinds.length > 0 &&
    kinds.every(({ value }) => /^(?:patch|minor|pin\w*|digest|lockfilemaintenance)$/i.test(value)) &&
    !settings.some(({ key, value }) => key === 'ignoretests' && on.test(value))
  )
}

const seesKnownPassword = byTable('config-default-password')

export const settingFacts: readonly Detector[] = [
  settingFact({
    id: 'config-auth-off',
    see: setting => {
      if (/^(?:local|host(?:ssl|nossl)?)$/.test(setting.key) && /\btrust$/.test(setting.value))
        return wide('Everybody is let into the database without a password.')
      return byTable('config-auth-off')(setting)
    },
  }),
  settingFact({
    id: 'config-tls-off',
    see: byTable('config-tls-off'),
  }),
  settingFact({
    id: 'config-default-password',
    see: (setting, act) =>
      // A file that shows which settings there are holds none; that of one's own machine guards nothing that others reach.
      isExampleFile(setting.place.file ?? '') || (isLocalSetting(setting) && isOnlyOwnPorts(act.settings))
        ? undefined
        : seesKnownPassword(setting),
  }),
  settingFact({
    id: 'config-open-network',
    see: (setting, { settings }) => {
      const { path, key, value, place } = setting
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
        return { detail: `The whole internet is let in (${path})`, scope: isGrave ? 'wide' : 'partial' }
      }
      if (/(?:^|\.)ports(?:\.\d+)?$/.test(path) && /^["']?0\.0\.0\.0:\d/.test(value))
        return {
          detail: `It is published on every network (${value.slice(0, 40)})`,
          scope: /:(?:3306|5432|6379|27017|9200|2375|11211|1433|5984|9042|2379|15672)["']?$/.test(value)
            ? 'partial'
            : 'narrow',
        }
      if (key === 'add_header' && /Access-Control-Allow-Origin\s+["']?\*/i.test(value))
        return !isPublicPath(path) && 'Every site may call it (Access-Control-Allow-Origin)'
      return byTable('config-open-network')(setting)
    },
  }),
  settingFact({
    id: 'config-data-loss',
    see: byTable('config-data-loss'),
  }),
  settingFact({
    id: 'config-limits-off',
    see: (setting, act) => {
      const isMoney =
        /withdraw|spend|order|position|leverage|loss|drawdown|transfer|payout|budget|kill_switch|circuit/.test(
          setting.path,
        )
      if (/(?:^|\.)automerge$/.test(setting.path) && mergesOnlySmall(setting, act.settings)) return
      const hit = byTable('config-limits-off')(setting)
      if (isLocalSetting(setting) && /insides|development/.test(hit?.detail ?? '')) return
      return hit && isMoney ? { ...hit, scope: 'partial' } : hit
    },
  }),
  actFact({
    id: 'terraform-plan',
    see({ text }) {
      const holdsData =
        /db|rds|sql|bucket|disk|volume|ebs|efs|dynamo|table|redis|elasticache|kms|key|database|storage|namespace|cluster|snapshot|vault|secret|domain|zone/i
      const changes = asList(parseRecord(text)?.resource_changes)
      const fromJson = changes.flatMap((change): Fact[] => {
        const { address = '', change: { actions = [] } = {} } = (change ?? {}) as {
          address?: string
          change?: { actions?: unknown[] }
        }
        return actions.includes('delete')
          ? [
              {
                detail: `${address} will be ${actions.includes('create') ? 'replaced' : 'destroyed'}.`,
                scope: holdsData.test(address) ? 'wide' : 'partial',
                place: { path: address.toLowerCase() },
              },
            ]
          : []
      })
      const fromText = [
        ...text.matchAll(/^[ \t]{0,8}#[ \t]([\w.[\]"-]{3,120}) (?:will be (destroyed)|must be (replaced))/gm),
      ].map(
        ([, address = '', , replaced]): Fact => ({
          detail: `${address} will be ${replaced ?? 'destroyed'}.`,
          scope: holdsData.test(address) ? 'wide' : 'partial',
        }),
      )
      const counted = /\b([1-9]\d*) to destroy\b/.exec(text)
      const all = [...fromJson, ...fromText]
      return all.length > 0 ? all : counted ? [{ detail: `${counted[1]} resources will be destroyed.` }] : []
    },
  }),
]
