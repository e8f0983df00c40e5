import type { ArtifactSetting } from '../read/settings.ts'
import { type Detector, settingFact } from './fact.ts'
import { byTable, on } from './settings-table.ts'
import { isNamedPublic } from './words.ts'

/** True when everybody may only read, and the place is made for everybody. */
const isMeantForAll = ({ path, value }: ArtifactSetting, settings: readonly ArtifactSetting[]): boolean => {
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
const isReadOnlyLog = ({ path, value }: ArtifactSetting, settings: readonly ArtifactSetting[]): boolean => {
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

const seesContainer = byTable('config-container')

const seesPublic = byTable('config-public-data')

/** Rights of everybody, an administrator, a container. */
export const rightsFacts: readonly Detector[] = [
  settingFact({
    id: 'config-public-data',
    see: (setting, { settings }) => {
      if (/(?:^|\.)principal(?:\.\w+)?$/.test(setting.path) && /^\*$|^"\*"$/.test(setting.value)) {
        const parent = setting.path.slice(0, setting.path.lastIndexOf('principal'))
        const isDenied = settings.some(({ path, value }) => path === `${parent}effect` && /deny/i.test(value))
        const isBound = settings.some(({ path }) => path.startsWith(`${parent}condition`))
        return (
          !isDenied &&
          !isMeantForAll(setting, settings) && {
            detail: 'Everybody is given rights (principal: *)',
            scope: isBound ? ('narrow' as const) : ('wide' as const),
          }
        )
      }
      const hit = seesPublic(setting)
      return hit && !isMeantForAll(setting, settings) ? hit : undefined
    },
  }),
  settingFact({
    id: 'config-all-rights',
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
      return byTable('config-all-rights')(setting)
    },
  }),
  settingFact({
    id: 'config-container',
    see: (setting, { settings }) => {
      if (/hostpath\.path$/.test(setting.path) && isReadOnlyLog(setting, settings)) return
      return seesContainer(setting)
    },
  }),
]
