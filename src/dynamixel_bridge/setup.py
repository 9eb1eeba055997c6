"""Build description of dynamixel_bridge."""

from setuptools import find_packages, setup

PACKAGE = "dynamixel_bridge"

setup(
    name=PACKAGE,
    version="0.1.0",
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    package_data={PACKAGE: ["control_tables/*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["hypothesis", "pytest"]},
    zip_safe=True,
    maintainer="Humanoid maintainers",
    maintainer_email="maintainers@example.org",
    description="The real robot: Dynamixel framing, control tables, bus cycle and safety.",
    license="Apache-2.0",
)
