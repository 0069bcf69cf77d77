/** The console: signs the reader in, and shows the screen of the address. */
import { render } from 'preact'
import { App } from './app.tsx'
import { followLinks } from './data/address.ts'
import { keyOfAddress, messageOf, openSession, signedOut } from './data/session.ts'
import { shareOfAddress } from './data/share.ts'
import { followTheme } from './data/theme.ts'
import './styles/base.css'
import './styles/parts.css'
import './styles/screens.css'

followTheme()
followLinks()
const root = document.getElementById('console')
if (root !== null) render(<App />, root)

const open = () => openSession().catch(error => signedOut(messageOf(error)))
void open()
// An address that differs only behind `#` loads no page, and its key or share must not stay in the history.
addEventListener('hashchange', () => {
  if (keyOfAddress() !== undefined || shareOfAddress() !== undefined) void open()
})
