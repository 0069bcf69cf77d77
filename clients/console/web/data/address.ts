/** The address holds the whole state of a screen, so that it can be copied, reloaded and reached by Back. */
import { computed, signal } from '@preact/signals'

export const base = '/console'

const here = signal(location.pathname + location.search)

addEventListener('popstate', () => {
  here.value = location.pathname + location.search
})

/** The segments after `/console`. */
export const segments = computed(() =>
  here.value.split('?')[0]?.slice(base.length).split('/').filter(Boolean).map(decodeURIComponent),
)

/** The values behind the first `?`. A value can contain others, for example in a URL. */
export const addressQuery = computed(() => new URLSearchParams(here.value.split('?').slice(1).join('?')))

export type Query = Record<string, string | number | null | undefined>

/** Returns an address of the console. Empty values are left out. */
export function addressOf(path: string, values: Query = {}): string {
  const pairs = Object.entries(values).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return `${base}${path === '/' ? '' : path}${text === '' ? '' : `?${text}`}`
}

/** Opens a screen. */
export function openScreen(address: string): void {
  history.pushState(null, '', address)
  here.value = location.pathname + location.search
  scrollTo(0, 0)
  document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
}

/** Changes values of the current query, without an entry of the history. */
export function changeQuery(values: Query): void {
  const all = { ...Object.fromEntries(addressQuery.value), ...values }
  history.replaceState(null, '', addressOf(here.value.split('?')[0]?.slice(base.length) || '/', all))
  here.value = location.pathname + location.search
}

/** Follows links of the console without loading a page. */
export function followLinks(): void {
  document.addEventListener('click', event => {
    const link = (event.target as Element).closest?.('a')
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey
    if (!link || !isPlain || link.target || link.origin !== location.origin) return
    if (!link.pathname.startsWith(base) || link.hasAttribute('download') || link.hash) return
    event.preventDefault()
    openScreen(link.pathname + link.search)
  })
}
