/**
 * Reads settings from the environment by one schema per service. Its properties have `default`, `description`, and
 * `check` if a type is not enough. An invalid environment is reported with all its faults.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'

/** The parts of a setting's schema that are read here. */
type Schema = TSchema & {
  type?: string
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  default?: unknown
  description?: string
  /** Returns the fault of a text (of each item of a list), or null. For rules that a schema cannot express. */
  check?: (text: string) => string | null
  /** Returns the value of an unset variable, instead of `default`. */
  whenUnset?: () => unknown
}

/** Reports that settings are missing or wrong. Each fault names its variable and the expected value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly code = 'SETTINGS_BAD'
  readonly faults: string[]

  constructor(faults: string[]) {
    super(
      `${faults.length === 1 ? 'A setting is' : `${faults.length} settings are`} wrong:\n${faults.map(fault => `  ${fault}`).join('\n')}`,
    )
    this.faults = faults
  }
}

/**
 * Reads the properties of `schema` from `env`. A property `databaseUrl` (or `DATABASE_URL`) is the variable
 * DATABASE_URL. Strings are converted as in the schema: integers, numbers, booleans (true, false, 1, 0) and
 * comma-separated lists. Empty means unset. Variables outside the schema are ignored, except those of every process,
 * which are checked as well. Throws SettingsError.
 */
export function readSettings<Settings extends TObject>(
  schema: Settings,
  env: NodeJS.ProcessEnv,
): Static<Settings> {
  const { settings, faults } = read(schema, env)
  const allFaults = [...faults, ...read(ofEveryProcess, env).faults]
  if (allFaults.length > 0) throw new SettingsError(allFaults)
  return settings as Static<Settings>
}

function read(
  schema: TObject,
  env: NodeJS.ProcessEnv,
): { settings: Record<string, unknown>; faults: string[] } {
  const properties = Object.entries(schema.properties) as [string, Schema][]
  const faults: string[] = []
  const settings: Record<string, unknown> = {}
  for (const [property, expected] of properties) {
    const text = env[variableOf(property)]?.trim()
    if (text) settings[property] = convert(text, expected)
    else if (expected.whenUnset) settings[property] = expected.whenUnset()
    else if ('default' in expected) settings[property] = structuredClone(expected.default)
    const isNeeded = schema.required?.includes(property) ?? false
    const fault =
      property in settings ? faultOf(settings[property], expected) : isNeeded ? 'is missing' : null
    if (fault !== null)
      faults.push(
        `${variableOf(property)} ${fault}${expected.description ? ` (${expected.description})` : ''}`,
      )
  }
  return { settings, faults }
}

/** Returns the environment variable of a property: MAX_PAGES for `maxPages` and for MAX_PAGES. */
export const variableOf = (property: string): string =>
  property.replace(/[a-z0-9](?=[A-Z])/g, '$&_').toUpperCase()

const booleans: Record<string, boolean> = { true: true, '1': true, false: false, '0': false }

/** Returns the value of the text, or the text itself if it has none, so that the check reports the fault. */
function convert(text: string, schema: Schema): unknown {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return Number.isNaN(Number(text)) ? text : Number(text)
    case 'boolean':
      return booleans[text.toLowerCase()] ?? text
    case 'array':
      return splitList(text).map(item => convert(item, schema.items ?? {}))
    default:
      return text
  }
}

const splitList = (text: string) =>
  text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')

/** Returns the fault of a value, or null. It does not repeat the value, which may be a secret. */
function faultOf(value: unknown, schema: Schema): string | null {
  const [error] = Value.Errors(schema, value)
  if (error === undefined) return schema.check ? checkFault(value, schema.check) : null
  const choices = schema.anyOf?.map(({ const: choice }) => choice)
  if (choices?.every(choice => choice !== undefined)) return `must be one of ${choices.join(', ')}`
  const item = /^\/(\d+)/.exec(error.instancePath)?.[1]
  return item === undefined ? error.message : `${error.message} at item ${Number(item) + 1}`
}

function checkFault(value: unknown, check: (text: string) => string | null): string | null {
  if (!Array.isArray(value)) return check(String(value))
  const faults = value.map((item, at) => {
    const fault = check(String(item))
    return fault === null ? null : `${fault} at item ${at + 1}`
  })
  return faults.find(fault => fault !== null) ?? null
}

const samplers = ['always_on', 'always_off', 'traceidratio'] as const
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/**
 * Settings of every process, beside those of its services. Other modules read them from the environment, but they are
 * checked here with the rest.
 */
const ofEveryProcess = Type.Object({
  LOG_LEVEL: Type.Optional(Type.Union(levels.map(level => Type.Literal(level)))),
  METRICS_PORT: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
  DRAIN_MS: Type.Optional(Type.Integer({ minimum: 0, maximum: 120_000 })),
  OTEL_TRACES_SAMPLER: Type.Optional(
    Type.Union(samplers.flatMap(name => [Type.Literal(name), Type.Literal(`parentbased_${name}` as const)])),
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  TRACE_TRUSTS_CLIENTS: Type.Optional(Type.Boolean()),
  EVENT_LOOP_STALL_MS: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
})
