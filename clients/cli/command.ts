/** The form of a command, and the errors that end one with a documented exit code. */
import type { Tidemark } from '@tidemark/sdk'

/** Exit codes, in the order in which `tidemark --help` lists them. */
export const exitCodes = {
  done: [0, 'the command succeeded'],
  failed: [1, 'the service or the connection failed'],
  usage: [2, 'the command line is not valid'],
  unsuccessful: [3, 'the crawl, the export or the check ended without success'],
  key: [4, 'the key is missing or not valid'],
  limit: [5, 'a limit of the project is reached'],
  interrupted: [130, 'the command was interrupted'],
} as const

export class UsageError extends Error {}

/** The service did the work, but the crawl, the export or the check ended without success. */
export class UnsuccessfulError extends Error {}

export type Option = {
  short?: string
  multiple?: boolean
  /** The name of the value. Without one, the option is a switch. */
  value?: string
  description: string
}
export type Values = Record<string, string | boolean | string[] | undefined>

export type Context = {
  client(): Tidemark
  args: string[]
  values: Values
  isJson: boolean
  /** Prints a result for programs with `--json`, else the lines for people. */
  print(result: unknown, lines: () => string[]): void
  /** Prints a remark, which is not a result. */
  note(line: string): void
}

export type Command = {
  summary: string
  /**
   * The arguments after the name. ` | ` separates the forms of actions, and `…` means any number of arguments. Further
   * arguments are rejected.
   */
  usage: string
  options?: Record<string, Option>
  examples: string[]
  /** Returns the exit code. Default: 0. */
  run(context: Context): Promise<number | undefined>
}

/** Throws a usage error for the first argument beyond those in the usage of the command or of its action. */
export function refuseExtraArguments({ usage }: Command, args: readonly string[]): void {
  const forms = usage.split(' | ').map(form => form.split(' ').filter(word => word !== ''))
  // The command itself reports an action that it does not have.
  const form = forms.length === 1 ? forms[0] : forms.find(([action]) => action === args[0])
  if (form === undefined || form.some(word => word.endsWith('…'))) return
  const surplus = args[form.length]
  if (surplus !== undefined) throw new UsageError(`The argument '${surplus}' is not expected.`)
}

/** Returns an argument, or throws a usage error that names it. */
export function argument({ args }: Context, index: number, name: string): string {
  const value = args[index]
  if (value === undefined || value === '') throw new UsageError(`${name} is missing.`)
  return value
}

/** Returns an argument that is the id of an object. */
export const idArgument = (context: Context, index: number, name: string): number =>
  wholeNumber(argument(context, index, name), name)

/** Returns the number of an option; undefined: the option is absent. */
export function numberOption({ values }: Context, name: string): number | undefined {
  const value = values[name]
  return typeof value === 'string' ? wholeNumber(value, `--${name}`) : undefined
}

/** Returns the value of an option with an amount such as 0.5. */
export function amountOption({ values }: Context, name: string): number | undefined {
  const value = values[name]
  if (typeof value !== 'string') return undefined
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(value))
    throw new UsageError(`--${name} must be an amount such as 0.5, not '${value}'.`)
  return Number(value)
}

export const textOption = ({ values }: Context, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** Throws a usage error if both options are set. */
export function refuseTogether({ values }: Context, one: string, other: string): void {
  const isSet = (name: string) => values[name] !== undefined && values[name] !== false
  if (isSet(one) && isSet(other)) throw new UsageError(`Give either --${one} or --${other}, not both.`)
}

function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${name} must be a whole number, not '${text}'.`)
  return Number(text)
}

/** Returns the fields that are set, for the body of a request. */
export const present = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/** Returns an absolute address: a bare host means https. */
export function addressOf(text: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`
  // Node 18.3 has no `URL.canParse`.
  try {
    new URL(address)
  } catch {
    throw new UsageError(`'${text}' is not an address such as https://example.com/.`)
  }
  return address
}
