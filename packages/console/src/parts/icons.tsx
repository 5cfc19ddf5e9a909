import type { ComponentChildren } from 'preact';

const draw = (shape: ComponentChildren) => () => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    {shape}
  </svg>
);

export const KeyIcon = draw(
  <path d="M12.5 2.5a5 5 0 1 0-4.6 7L3 14.400V17h2.600l.8-1.800h1.800v-1.800H10l1.300-1.300a5 5 0 0 0 1.200-9.600Zm1 3.500h.01" />,
);
export const ClientsIcon = draw(
  <path d="M3 3.500h5.500V9H3zM11.500 3.500H17V9h-5.500zM3 11.500h5.500V17H3zM11.500 11.500H17V17h-5.500z" />,
);
export const UsersIcon = draw(<path d="M10 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4 17c0-3 2.500-5 6-5s6 2 6 5" />);
export const GroupsIcon = draw(
  <path d="M7.500 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.500 16.500c0-3 2-5 5-5s5 2 5 5M13 9.300a2.500 2.500 0 1 0 0-5M14.500 12c2 .6 3 2.200 3 4.500" />,
);
export const EventsIcon = draw(<path d="M4 5h.01M8 5h8M4 10h.01M8 10h8M4 15h.01M8 15h8" />);
export const ApisIcon = draw(<path d="m6.500 6-4 4 4 4M13.500 6l4 4-4 4M11.500 4l-3 12" />);
export const TokensIcon = draw(
  <path d="M3 6.500h14v2.500a1.500 1.500 0 0 0 0 3v2.500H3V12a1.500 1.500 0 0 0 0-3zM12 7v.5M12 10v.5M12 13v.5" />,
);
export const IssuersIcon = draw(
  <path d="M10 2.500 16 5v4.500c0 3.700-2.500 6.500-6 8-3.500-1.500-6-4.300-6-8V5zM7.300 9.800l2 2 3.500-3.800" />,
);
export const UpstreamsIcon = draw(<path d="M11 3h5.500v14H11M3 10h9.500M9.500 6.500 13 10l-3.500 3.500" />);
export const OverviewIcon = draw(<path d="M3 17V9.5M7.7 17V4M12.300 17v-5M17 17V7" />);
export const RefusalsIcon = draw(
  <path d="M10 17.500a7.500 7.500 0 1 0 0-15 7.500 7.500 0 0 0 0 15ZM4.700 4.700l10.600 10.600" />,
);
export const SettingsIcon = draw(<path d="M3 6h7M14 6h3M12 4v4M3 14h3M10 14h7M8 12v4" />);
