import { STATUS_CODES } from 'node:http';

/** The most requests whose reason waits for the line that says how they were answered. */
const mostWaiting = 1_000;

/** The members of a log line that are shown. */
interface LogEntry {
  level?: string;
  msg?: string;
  service?: string;
  requestId?: string;
  method?: string;
  path?: string;
  status?: number;
  detail?: string;
  reason?: string;
  err?: LoggedError;
  /** A mail that was written into a folder. */
  written?: { to: string; subject: string; path: string; link?: string };
}

interface LoggedError {
  message?: string;
  cause?: LoggedError;
}

/** The log of both services, as a newcomer reads it. */
export interface Console {
  /** Takes a log line: a refused request is one line with method, path, status and reason; a warning is shown once. A mail is one line with its link. */
  readLogLine(line: string): void;
  /** Takes a line of standard error: both services say the same about a bad variable, which is shown once. */
  readErrorLine(line: string): void;
}

/** The id of the requests that `npm start` itself sends. Its user is not shown them. */
export const ownRequestId = 'npm-start';

/** The log lines hold no secret and no query, so neither does what is shown of them; but for links in mails that are written into a folder. */
export function createConsole(show: (line: string) => void, showError: (line: string) => void): Console {
  const reasons = new Map<string, string>();
  const shown = new Set<string>();
  const showOnce = (line: string) => {
    if (shown.has(line)) return;
    shown.add(line);
    showError(line);
  };
  const keepReason = (key: string, reason: string) => {
    const [oldest] = reasons.keys();
    if (oldest !== undefined && reasons.size >= mostWaiting) reasons.delete(oldest);
    reasons.set(key, reason);
  };
  const showRequest = (key: string, entry: LogEntry) => {
    const reason = reasons.get(key);
    reasons.delete(key);
    if (reason !== undefined || isRefusal(entry)) show(plain(describeRequest(entry, reason)));
  };
  const readEntry = (entry: LogEntry) => {
    if (entry.requestId === ownRequestId) return;
    const key = `${entry.service} ${entry.requestId}`;
    if (entry.written !== undefined) show(plain(describeMail(entry.written)));
    else if (entry.msg === 'request refused' || entry.msg === 'request failed') keepReason(key, describeReason(entry));
    else if (entry.msg === 'request') showRequest(key, entry);
    else if (entry.level !== 'info') showOnce(plain(describeWarning(entry)));
  };

  return {
    readLogLine(line) {
      const entry = parseEntry(line);
      if (entry === undefined) showOnce(plain(line));
      else readEntry(entry);
    },
    readErrorLine: (line) => showOnce(plain(line)),
  };
}

function parseEntry(line: string): LogEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null ? entry : undefined;
  } catch {
    return undefined;
  }
}

function isRefusal({ status = 0 }: LogEntry): boolean {
  return status >= 400;
}

function describeRequest({ method, path, status = 0 }: LogEntry, reason = STATUS_CODES[status] ?? ''): string {
  return `${method} ${path} ${status} ${reason}`.trimEnd();
}

function describeMail({ to, subject, path, link }: NonNullable<LogEntry['written']>): string {
  return `mail to ${to}: ${subject}: ${link ?? path}`;
}

/** The public text, and in brackets what the caller is not told. */
function describeReason({ detail, reason, err }: LogEntry): string {
  const text = detail ?? err?.message ?? 'refused';
  const inside = reason ?? err?.cause?.message;
  return inside === undefined || inside === text ? text : `${text} (${inside})`;
}

function describeWarning({ level, msg, err }: LogEntry): string {
  const name = level === 'warn' ? 'warning' : level;
  return [`${name}: ${msg}`, err?.message].filter((part) => part !== undefined).join(': ');
}

/** One line, without characters that steer a terminal. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
