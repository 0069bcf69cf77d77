/** The choice between light, dark and the theme of the system. */
import { theme, themes } from '../data/theme.ts'

export const ThemeChoice = () => (
  <label class="theme">
    <span class="hidden">Theme</span>
    <select
      value={theme.value}
      onChange={event => (theme.value = themes[event.currentTarget.selectedIndex] ?? 'system')}
    >
      {themes.map(name => (
        <option key={name} value={name}>
          {name} theme
        </option>
      ))}
    </select>
  </label>
)
