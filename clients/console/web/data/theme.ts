/** Light or dark: by the system, or as the reader chose. */
import { effect, signal } from '@preact/signals'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const stored = localStorage.getItem('theme')
export const theme = signal<Theme>(themes.find(name => name === stored) ?? 'system')

/** Applies the theme to the page. */
export function followTheme(): void {
  effect(() => {
    const { documentElement } = document
    if (theme.value === 'system') delete documentElement.dataset.theme
    else documentElement.dataset.theme = theme.value
    localStorage.setItem('theme', theme.value)
  })
}
