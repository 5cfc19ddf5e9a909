/** `act`: mend it now, `look`: decide, `know`: good to know. In this order. */
export const weights = ['act', 'look', 'know'] as const;
export type Weight = (typeof weights)[number];

/** The kinds of findings, and how much each weighs. */
export const weightOfKind = {
  audit_left_out: 'look',
  bootstrap_password_unchanged: 'act',
  client_all_roles: 'look',
  client_unused: 'look',
  demo_data: 'act',
  deprecated_grant: 'look',
  http_redirect: 'look',
  key_ending: 'act',
  key_old: 'look',
  one_administrator: 'look',
  secret_old: 'look',
  secret_overlap_in_use: 'act',
  unverified_addresses: 'know',
} as const satisfies Record<string, Weight>;

export type FindingKind = keyof typeof weightOfKind;
export const findingKinds = Object.keys(weightOfKind) as FindingKind[];

/** Something that administrators mend, decide on, or know. */
export interface Finding {
  kind: FindingKind;
  /** A client_id, a username or a kid, where it is one. */
  subject?: string | undefined;
  /** At most 1,000. */
  count: number;
  isExact: boolean;
  /** A sentence. */
  text: string;
  /** Where one looks or acts, below `CONSOLE_URL`. */
  path: string;
}

/** Finds things of one kind. A finding whose count is 0 is none. */
export type Find = () => Promise<Finding[]> | Finding[];

/** The findings whose count is not 0: the weightiest first. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const rank = ({ kind }: Finding) => weights.indexOf(weightOfKind[kind]);
  const compareTexts = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  return findings
    .filter(({ count }) => count > 0)
    .sort((a, b) => rank(a) - rank(b) || compareTexts(a.kind, b.kind) || compareTexts(a.path, b.path));
}
