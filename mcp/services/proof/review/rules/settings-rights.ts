import type { Setting } from '../read/settings.ts'
import { type Rule, settingRule } from '../rule.ts'
import { byTable, off, on } from './settings-table.ts'
import { isNamedPublic } from './words.ts'

/** Whether everybody is only let read, and the place is one that is made for everybody. */
const isMeantForAll = ({ path, value }: Setting, settings: readonly Setting[]): boolean => {
  const parent = path.slice(0, path.lastIndexOf('.') + 1).replace(/(?<=\.)principal\.$/, '')
  const near = settings.filter(other => other.path.startsWith(parent))
  const names = [
    ...near.flatMap(({ key, value }) => (/^(?:bucket|resources?|container|name)$/.test(key) ? [value] : [])),
  ]
  const rights = near.flatMap(({ key, value }) => (/^(?:roles?|actions?)$/.test(key) ? [value] : []))
  return (
    names.length > 0 &&
    names.every(isNamedPublic) &&
    (/^public-read$/i.test(value) ||
      (rights.length > 0 &&
        rights.every(right => /objectViewer$|^s3:GetObject$|legacyObjectReader$/.test(right))))
  )
}

/** A directory of logs that every container which sees it may only read. */
const isReadOnlyLog = ({ path, value }: Setting, settings: readonly Setting[]): boolean => {
  if (!/^\/var\/log(?:\/|$)/.test(value)) return false
  const volume = path.slice(0, path.indexOf('hostpath'))
  const name = settings.find(other => other.path === `${volume}name`)?.value
  const mounts = settings.filter(({ path, value }) => /volumemounts\.\d+\.name$/.test(path) && value === name)
  return (
    mounts.length > 0 &&
    mounts.every(mount =>
      settings.some(
        ({ path, value }) => path === mount.path.replace(/name$/, 'readonly') && value === 'true',
      ),
    ) &&
    !settings.some(({ key, value }) => key === 'privileged' && on.test(value))
  )
}

const seesContainer = byTable([
  [/(?:^|\.)privileged$/, on, 'The container has the rights of the machine', 'blocker'],
  [
    /hostpath\.path$/,
    /^\/(?:$|etc|var\/run|root|proc|sys|boot|home|var\/lib\/(?:kubelet|docker))/,
    'The container can change the machine',
    'blocker',
  ],
  [/hostpath\.path$/, /./, 'The container sees a directory of the machine', 'medium'],
  [
    /volumes?(?:\.\d+)?(?:\.source)?$/,
    /^\/(?::|var\/run\/docker\.sock|etc\b|root\b|proc\b|sys\b)|docker\.sock/,
    'The container can change the machine',
  ],
  [/host_?(?:network|pid|ipc|users)$/, on, 'The container sees the machine'],
  [/(?:^|\.)(?:network_mode|pid|ipc|userns_mode)$/, /^["']?host["']?$/, 'The container sees the machine'],
  [/runasuser$/, /^0$/, 'It runs as root', 'medium'],
  [/runasnonroot$/, off, 'It may run as root', 'medium'],
  [/allowprivilegeescalation$/, on, 'It may become root'],
  [
    /(?:capabilities\.add|cap_add)(?:\.\d+)?$/,
    /ALL|SYS_ADMIN|NET_ADMIN|SYS_PTRACE|SYS_MODULE/,
    'The container has rights of the machine',
  ],
  [/(?:seccomp\w*|apparmor\w*)(?:[._]\w+)*$/, /^unconfined$/i, 'The container is not confined'],
])

const seesPublic = byTable([
  [/(?:^|[._])acl$|canned_acl$/, /^public-read(?:-write)?$/i, 'Everybody may read it'],
  [
    /(?:block_public_(?:acls|policy)|ignore_public_acls|restrict_public_buckets|blockpublicacls|blockpublicpolicy)$/,
    off,
    'It may become public',
    'high',
  ],
  [/(?:members?|entity|principal)$/, /allUsers|allAuthenticatedUsers/, 'Everybody is given rights'],
  [/container_access_type$|public_access$/, /^(?:container|blob|enabled)$/i, 'Everybody may read it', 'high'],
])

/** Who may do what: everybody, an administrator, a container. */
export const rightsRules: readonly Rule[] = [
  settingRule({
    id: 'config-public-data',
    category: 'configuration',
    severity: 'blocker',
    fix: 'Keep it private, and share single objects by signed links.',
    hits: [
      'resource "aws_s3_bucket" "b" {\n  acl = "public-read"\n}',
      'block_public_acls = false',
      'resource "google_storage_bucket_iam_member" "x" {\n  member = "allUsers"\n}',
      '{"Effect":"Allow","Principal":"*","Action":"s3:*"}',
      'container_access_type = "container"',
      'resource "google_storage_bucket_iam_member" "kit" {\n  bucket = google_storage_bucket.press_kit.name\n  role = "roles/storage.objectAdmin"\n  member = "allUsers"\n}',
      '{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::patient-images/*"}',
    ],
    misses: [
      'resource "aws_s3_bucket" "b" {\n  acl = "private"\n}',
      'block_public_acls = true',
      '{"Effect":"Deny","Principal":"*","Action":"s3:*"}',
      'resource "google_storage_bucket_iam_member" "kit" {\n  bucket = google_storage_bucket.press_kit.name\n  role = "roles/storage.objectViewer"\n  member = "allUsers"\n}',
      '{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::acme-public-assets/*"}',
    ],
    see: (setting, { settings }) => {
      if (/(?:^|\.)principal(?:\.\w+)?$/.test(setting.path) && /^\*$|^"\*"$/.test(setting.value)) {
        const parent = setting.path.slice(0, setting.path.lastIndexOf('principal'))
        const isDenied = settings.some(({ path, value }) => path === `${parent}effect` && /deny/i.test(value))
        const isBound = settings.some(({ path }) => path.startsWith(`${parent}condition`))
        return (
          !isDenied &&
          !isMeantForAll(setting, settings) && {
            detail: 'Everybody is given rights (principal: *)',
            severity: isBound ? ('medium' as const) : ('blocker' as const),
          }
        )
      }
      const hit = seesPublic(setting)
      return hit && !isMeantForAll(setting, settings) ? hit : undefined
    },
  }),
  settingRule({
    id: 'config-all-rights',
    category: 'configuration',
    severity: 'high',
    fix: 'Name the actions and the resources.',
    hits: [
      '{"Effect":"Allow","Action":"*","Resource":"*"}',
      'kind: ClusterRole\nrules:\n- apiGroups: ["*"]\n  resources: ["*"]\n  verbs: ["*"]',
      'kind: ClusterRoleBinding\nroleRef:\n  name: cluster-admin',
      'role = "roles/owner"',
      'policy_arn = "arn:aws:iam::aws:policy/AdministratorAccess"',
      'bob ALL=(ALL) NOPASSWD: ALL',
      'policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })',
    ],
    misses: [
      '{"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}',
      '{"Effect":"Deny","Action":"*","Resource":"*"}',
      'kind: Role\nrules:\n- apiGroups: [""]\n  resources: ["pods"]\n  verbs: ["get","list"]',
      'role = "roles/viewer"',
    ],
    see: (setting, { settings }) => {
      const { path, value, key } = setting
      if (/(?:^|\.)(?:not)?actions?$/.test(path) && /^(?:\[?"?\*"?\]?|iam:\*|\*:\*|sts:\*)$/.test(value)) {
        const parent = path.slice(0, path.lastIndexOf('.') + 1)
        return (
          !settings.some(({ path, value }) => path === `${parent}effect` && /deny/i.test(value)) &&
          'All actions are allowed'
        )
      }
      if (key === 'verbs' && /^\*$|^\["?\*/.test(value)) return 'All verbs are allowed'
      const inline = value.slice(0, 2000)
      if (
        /\bEffect\W{1,6}Allow\b/i.test(inline) &&
        /\bActions?\W{1,8}(?:\*|iam:\*|sts:\*)\W/i.test(inline) &&
        !/\bEffect\W{1,6}Deny\b/i.test(inline)
      )
        return 'All actions are allowed'
      return byTable([
        [
          /roleref\.name$|cluster_?role$/,
          /^cluster-admin$/,
          'It makes an administrator of the cluster',
          'blocker',
        ],
        [
          /(?:^|[._])roles?$/,
          /^roles\/(?:owner|editor|iam\.securityAdmin|resourcemanager\.\w*Admin)$|^Owner$/,
          'It gives all rights',
        ],
        [
          /policy_arns?$|managed_policy_arns$/,
          /AdministratorAccess|PowerUserAccess|IAMFullAccess/,
          'It gives all rights',
        ],
        [/./, /NOPASSWD:\s*ALL/, 'It gives root without a password', 'blocker'],
      ])(setting)
    },
  }),
  settingRule({
    id: 'config-container',
    category: 'configuration',
    severity: 'high',
    fix: 'Run it as a user of its own, with the rights and directories that it needs.',
    hits: [
      'securityContext:\n  privileged: true',
      'volumes:\n- hostPath:\n    path: /',
      'hostNetwork: true',
      'hostPID: true',
      'runAsUser: 0',
      'allowPrivilegeEscalation: true',
      'capabilities:\n  add: ["SYS_ADMIN"]',
      'services:\n  a:\n    volumes:\n      - /var/run/docker.sock:/var/run/docker.sock',
      'privileged = true',
      'network_mode: host',
      'containers:\n- volumeMounts: [{name: logs, mountPath: /var/log/pods}]\nvolumes: [{name: logs, hostPath: {path: /var/log/pods}}]',
    ],
    misses: [
      'securityContext:\n  privileged: false\n  runAsNonRoot: true',
      'volumes:\n- emptyDir: {}',
      'runAsUser: 1000',
      'allowPrivilegeEscalation: false',
      'capabilities:\n  drop: ["ALL"]',
      'services:\n  a:\n    volumes:\n      - ./data:/data',
      'containers:\n- volumeMounts: [{name: logs, mountPath: /var/log/pods, readOnly: true}]\nvolumes: [{name: logs, hostPath: {path: /var/log/pods}}]',
    ],
    see: (setting, { settings }) => {
      if (/hostpath\.path$/.test(setting.path) && isReadOnlyLog(setting, settings)) return
      return seesContainer(setting)
    },
  }),
]
